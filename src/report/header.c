#include "report/header.h"

#include <stdbool.h>
#include <string.h>

#include "report/describe.h"

enum { LINE_SIZE = 600, VARIED_MOST = 32 };

/// The keys of `varied` that lie directly below `prefix` ("network."), then `also` where it is not NULL; NULL at the end.
static const char *const *below(const char *prefix, const char *const *varied, const char *also, const char *out[VARIED_MOST]) {
    size_t count = 0, length = strlen(prefix);
    if (also) out[count++] = also;
    for (; varied && *varied && count + 1 < VARIED_MOST; varied++)
        if (!strncmp(*varied, prefix, length)) out[count++] = *varied + length;
    out[count] = NULL;
    return out;
}

static bool is_varied(const char *const *varied, const char *key) {
    for (; varied && *varied; varied++)
        if (!strcmp(*varied, key)) return true;
    return false;
}

static void print_network(const json_t *scenario, const char *const *varied, const struct run_result *result, FILE *out) {
    char line[LINE_SIZE];
    const char *skip[VARIED_MOST];
    const json_t *network = json_object_get(scenario, "network"), *topology = json_object_get(network, "topology");
    const bool shown = !is_varied(varied, "network.topology");
    fprintf(out, "network   %s",
            shown ? describe_json(topology, below("network.topology.", varied, NULL, skip), line, sizeof line) : "varies");
    if (result) fprintf(out, ": %u endpoints, %u switches, %u links", result->endpoints, result->switches, result->link_count);
    fprintf(out, "\n          %s\n", describe_json(network, below("network.", varied, "topology", skip), line, sizeof line));
}

static void print_mapping(const json_t *scenario, const struct run_result *result, FILE *out) {
    char line[LINE_SIZE];
    fprintf(out, "mapping   %s", describe_json(json_object_get(scenario, "mapping"), NULL, line, sizeof line));
    const json_t *ranks = json_object_get(scenario, "ranks");
    if (result)
        fprintf(out, ": %u ranks", result->ranks);
    else if (ranks)
        fprintf(out, ": %lld ranks", (long long)json_integer_value(ranks));
    fputc('\n', out);
}

/// Costs are nothing by default; then they are not worth a line.
static void print_costs(const json_t *scenario, FILE *out) {
    char line[LINE_SIZE];
    const json_t *costs = json_object_get(scenario, "costs"), *value;
    const char *key;
    bool any = false;
    json_object_foreach((json_t *)costs, key, value) any = any || !json_is_string(value) || strcmp(json_string_value(value), "0s");
    if (any) fprintf(out, "costs     %s\n", describe_json(costs, NULL, line, sizeof line));
}

void report_header(const json_t *scenario, const char *const *varied, const struct run_result *result, enum sheet_format format,
                   FILE *out) {
    char line[LINE_SIZE];
    const char *skip[VARIED_MOST];
    const char *name = json_string_value(json_object_get(scenario, "name"));
    if (name) fprintf(out, format == SHEET_MARKDOWN ? "## %s\n\n" : "%s\n", name);
    if (format == SHEET_MARKDOWN) fputs("```\n", out);
    print_network(scenario, varied, result, out);
    if (!is_varied(varied, "mapping")) print_mapping(scenario, result, out);
    if (!is_varied(varied, "workload"))
        fprintf(out, "workload  %s\n",
                describe_json(json_object_get(scenario, "workload"), below("workload.", varied, NULL, skip), line, sizeof line));
    print_costs(scenario, out);
    if (format == SHEET_MARKDOWN) fputs("```\n", out);
}
