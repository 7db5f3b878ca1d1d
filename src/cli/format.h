#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "cli/options.h"
#include "scenario/output.h"

/// How a command prints: for people unless --json, --json-lines, --csv or --markdown says otherwise.
enum format_kind { FORMAT_TABLE, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON, FORMAT_JSON_LINES };

struct format {
    enum format_kind kind;
    int table; ///< CSV: which of the command's tables
};

/// `csv_tables` names the tables that --csv=TABLE knows, NULL at the end; the first is the default. ERROR_INPUT for another
/// name, and for two formats at once.
bool format_from_options(const struct options *options, const char *const *csv_tables, struct format *out, struct error *err);

/// --heat
bool heat_from_options(const struct options *options, enum heat *out, struct error *err);

/// Whether people read it: then lines beside the tables are welcome.
static inline bool format_for_people(struct format format) { return format.kind <= FORMAT_MARKDOWN; }

#endif
