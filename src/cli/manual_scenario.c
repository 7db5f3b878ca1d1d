#include "cli/manual.h"

#include "report/version.h"
#include "scenario/tables.h"

static void put_fields(const struct field *fields, const char *prefix, FILE *out);

/// What may stand for the key, in a word or two.
static const char *kind_name(const struct field *field) {
    switch (field->kind) {
    case FIELD_INTEGER: return "a whole number";
    case FIELD_DECIMAL: return "a number";
    case FIELD_BOOLEAN: return "true or false";
    case FIELD_CHOICE: return "one of";
    case FIELD_BYTES: return "bytes, such as 64KiB";
    case FIELD_RATE: return "a rate, such as 45GB/s or 400Gbps";
    case FIELD_TIME: return "a time, such as 1.5us";
    case FIELD_LINK: return "a link: {bandwidth, latency}, {bandwidth, alpha} or a preset's name";
    case FIELD_VARIANT: return "an object with a type, or the type's name";
    case FIELD_OBJECT: return "an object";
    case FIELD_INTEGERS:
    case FIELD_LIST:
    case FIELD_VARIANTS:
    case FIELD_LINKS:
    case FIELD_TEXTS:
    case FIELD_SIZES: return "a list";
    case FIELD_NODES: return "a count or a list";
    case FIELD_MATRIX: return "a list of lists, or a file's name";
    case FIELD_TIMES: return "times by rank";
    default: return "a text";
    }
}

static void put_field(const struct field *field, const char *prefix, FILE *out) {
    fputs(".TP\n\\fB", out);
    roff_text(prefix, out);
    roff_text(*field->name ? field->name : "(the list itself)", out);
    fputs("\\fR (", out);
    fputs(kind_name(field), out);
    for (const char *const *choice = field->kind == FIELD_CHOICE ? field->choices : NULL; choice && *choice; choice++) {
        fputs(choice == field->choices ? " " : ", ", out);
        roff_text(*choice, out);
    }
    if (field->kind == FIELD_BYTES && field->word) fprintf(out, ", or %s", field->word);
    fputs(field->flags & FIELD_REQUIRED ? "; required)\n" : ")\n", out);
    roff_text(field->help ? field->help : "", out);
    if (field->example) {
        fputs(" (for example ", out);
        roff_text(field->example, out);
        fputc(')', out);
    }
    fputc('\n', out);
    char below[160];
    snprintf(below, sizeof below, "%s%s.", prefix, field->name);
    if (field->kind == FIELD_OBJECT) put_fields(field->fields, below, out);
}

static void put_fields(const struct field *fields, const char *prefix, FILE *out) {
    for (; fields && fields->name; fields++) put_field(fields, prefix, out);
}

static void put_family(const struct field *field, const char *heading, FILE *out) {
    fprintf(out, ".SH %s\n", heading);
    for (size_t i = 0; field->family->types[i]; i++) {
        const struct variant_type *type = field->family->types[i];
        fputs(".SS ", out);
        roff_text(type->name, out);
        fputc('\n', out);
        roff_text(type->summary, out);
        fputs(".\n", out);
        put_fields(type->fields, "", out);
    }
}

void manual_scenario(FILE *out) {
    fputs(".TH WEFT\\-SCENARIO 5 \"\" \"weft " WEFT_VERSION "\" \"weft\"\n.SH NAME\nweft\\-scenario \\- the scenario file of weft\n"
          ".SH DESCRIPTION\nOne JSON document describes one experiment. Unknown keys are errors; all errors of a file are\n"
          "reported at once. Quantities are texts with a unit. Paths start from the file's folder.\n.SH KEYS\n",
          out);
    put_fields(scenario_fields, "", out);
    put_family(field_find(network_fields, "topology"), "TOPOLOGIES", out);
    put_family(field_find(scenario_fields, "mapping"), "MAPPINGS", out);
    put_family(field_find(scenario_fields, "workload"), "WORKLOADS", out);
    fputs(".SH SEE ALSO\n.BR weft (1)\n", out);
}
