// A fuzzer's way into the scenario reader (`make fuzz`): whatever the text, reading it ends in a scenario or in problems; and a
// scenario written out in full is read back without problems and written the same again.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct scenario *read_document(json_t *document, const char *text, struct problems *problems) {
    return document ? scenario_read(document, text, "fuzz.json", problems) : NULL;
}

/// Writes the scenario out and reads that; aborts where it is not the same.
static void check_resolved(const struct scenario *scenario) {
    struct problems problems = {.count = 0};
    json_t *resolved = scenario_resolved(scenario);
    struct scenario *again = read_document(resolved, NULL, &problems);
    if (!again) {
        problems_print(&problems, "resolved", stderr);
        abort();
    }
    json_t *resolved_again = scenario_resolved(again);
    if (!json_equal(resolved, resolved_again)) abort();
    json_decref(resolved);
    json_decref(resolved_again);
    scenario_free(again);
    problems_free(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct problems problems = {.count = 0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    json_t *document = scenario_parse_json(text, size, &problems);
    struct scenario *scenario = read_document(document, text, &problems);
    if (!scenario == !problems.count) abort(); // a scenario or problems, never both or neither
    if (scenario) check_resolved(scenario);
    scenario_free(scenario);
    json_decref(document);
    problems_free(&problems);
    free(text);
    return 0;
}
