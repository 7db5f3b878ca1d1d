#include "cli/format.h"

#include <string.h>

bool heat_from_options(const struct options *options, enum heat *out, struct error *err) {
    int heat;
    if (!choose_one("--heat", options->heat, heat_names, &heat, err)) return false;
    if (options->heat && !options->svg) return error_set(err, ERROR_INPUT, "--heat says what colours a heat map: add --svg FILE for one");
    *out = (enum heat)heat;
    return true;
}

bool format_from_options(const struct options *options, const char *const *csv_tables, struct format *out, struct error *err) {
    static const char *const names[] = {"", "--markdown", "--csv", "--json", "--json-lines"};
    const bool given[] = {false, options->markdown, options->csv != NULL, options->json, options->json_lines};
    *out = (struct format){0};
    for (int kind = FORMAT_MARKDOWN; kind <= FORMAT_JSON_LINES; kind++) {
        if (!given[kind]) continue;
        if (out->kind != FORMAT_TABLE) return error_set(err, ERROR_INPUT, "%s or %s? One format at a time", names[out->kind], names[kind]);
        out->kind = (enum format_kind)kind;
    }
    return out->kind != FORMAT_CSV || choose_one("--csv", *options->csv ? options->csv : NULL, csv_tables, &out->table, err);
}
