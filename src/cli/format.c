#include "cli/format.h"

#include <string.h>

static bool find_table(const char *name, const char *const *tables, int *out, struct error *err) {
    char known[128] = "";
    for (*out = 0; tables[*out]; ++*out) {
        if (!*name || !strcmp(name, tables[*out])) return true;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", tables[*out]);
    }
    return error_set(err, ERROR_INPUT, "--csv: \"%s\" is none of the tables %s", name, known);
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
    return out->kind != FORMAT_CSV || find_table(options->csv, csv_tables, &out->table, err);
}
