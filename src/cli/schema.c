#include "cli/command.h"

#include <stdlib.h>

#include "scenario/schema.h"

static const struct option_group groups[] = {{"General", common_options}, {0}};

static int print_schema(const struct options *options, FILE *out) {
    (void)options;
    json_t *schema = scenario_schema();
    char *text = json_dumps(schema, JSON_INDENT(2));
    fprintf(out, "%s\n", text);
    free(text);
    json_decref(schema);
    return ERROR_NONE;
}

const struct command schema_command = {
    .name = "schema",
    .operands = "",
    .summary = "print the JSON Schema of scenario files, for completion and checks in editors (docs/editors.md)",
    .groups = groups,
    .run = print_schema,
};
