// Scenarios with any one value replaced, removed or renamed: read, or refused with a problem; never anything else.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scenario/simulate.h"

static const char *const wholes[] = {
    "{\"name\": \"a\", \"seed\": 3, \"tick\": \"1fs\", \"ranks\": 4, \"mapping\": [0, 2, 1, 3], \"costs\": {\"send_overhead\": \"1ns\"},"
    " \"network\": {\"topology\": {\"type\": \"torus\", \"dims\": [2, 2], \"links\": [\"nvlink4\", {\"bandwidth\": \"45GB/s\", "
    "\"latency\": \"1us\"}]},"
    " \"chunk\": \"64KiB\", \"overrides\": [{\"from\": 0, \"to\": \"1\", \"bandwidth\": \"1GB/s\"}]},"
    " \"workload\": {\"type\": \"collective\", \"collective\": \"all-reduce\", \"algorithm\": \"ring\", \"size\": \"1MB\", \"start\": "
    "{\"3\": \"5ms\"}}}",

    "{\"mapping\": {\"type\": \"stride\", \"by\": 2}, \"network\": {\"switching\": \"store-and-forward\", \"topology\": {\"type\": "
    "\"switch\","
    " \"endpoints\": 4, \"link\": {\"bandwidth\": \"400Gbps\", \"alpha\": \"2us\"}}}, \"workload\": {\"type\": \"sequence\", \"barrier\": "
    "true, \"of\": ["
    "{\"type\": \"messages\", \"messages\": [{\"from\": 0, \"to\": 1, \"size\": \"1KB\", \"at\": \"1us\"}, {\"from\": 1, \"to\": 0, "
    "\"size\": \"0B\","
    " \"after\": [0]}]}, {\"type\": \"parallel\", \"of\": [{\"type\": \"collective\", \"collective\": \"barrier\", \"ranks\": [1, 3]}]}]}}",

    "{\"network\": {\"topology\": {\"type\": \"graph\", \"nodes\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"t\", \"kind\": "
    "\"switch\"}],"
    " \"links\": [{\"from\": \"a\", \"to\": \"t\", \"bandwidth\": \"1GB/s\", \"latency\": \"1us\"},"
    " {\"from\": \"t\", \"to\": \"b\", \"bandwidth\": \"1GB/s\", \"latency\": \"1us\", \"duplex\": true}]}},"
    " \"workload\": {\"type\": \"collective\", \"collective\": \"send\", \"from\": 0, \"to\": 1, \"size\": \"1B\"}}",
};

static json_t *random_value(struct random_stream *stream) {
    static const char *const words[] = {"", "x", "1us", "1KB", "1GB/s", "ring", "-1B", "1e99s", "nvlink4", "torus", "whole", "\u00e9"};
    switch (random_below(stream, 8)) {
    case 0: return json_null();
    case 1: return json_boolean(random_below(stream, 2));
    case 2: return json_integer((json_int_t)random_below(stream, 12) - 3);
    case 3: return json_real(1.5);
    case 4: return json_array();
    case 5: return json_object();
    case 6: return json_pack("[i, s]", 1, "x");
    default: return json_string(words[random_below(stream, sizeof words / sizeof *words)]);
    }
}

/// Damages one of the values in `container`, or one further in.
static void damage(json_t *container, struct random_stream *stream) {
    size_t count = json_is_object(container) ? json_object_size(container) : json_array_size(container);
    if (!count) return;
    size_t chosen = (size_t)random_below(stream, count), index = 0;
    void *member = json_is_object(container) ? json_object_iter(container) : NULL;
    for (; member && index < chosen; index++) member = json_object_iter_next(container, member);
    json_t *value = member ? json_object_iter_value(member) : json_array_get(container, chosen);
    if ((json_is_object(value) || json_is_array(value)) && random_below(stream, 5)) {
        damage(value, stream);
        return;
    }
    if (!member) {
        json_array_set_new(container, chosen, random_value(stream));
        return;
    }
    char key[64], renamed[80];
    snprintf(key, sizeof key, "%s", json_object_iter_key(member));
    uint64_t how = random_below(stream, 4);
    snprintf(renamed, sizeof renamed, "%ss", key);
    if (how == 0) json_object_set(container, renamed, value);
    if (how <= 1)
        json_object_del(container, key);
    else
        json_object_set_new(container, key, random_value(stream));
}

/// Whether the text is a scenario that would run; whatever is wrong must have a place in the text.
static bool is_sound(const char *text) {
    struct problems problems = {.count = 0};
    struct experiment experiment;
    json_t *document = scenario_parse_json(text, strlen(text), &problems);
    ck_assert_ptr_nonnull(document);
    struct scenario *scenario = scenario_read(document, text, NULL, &problems);
    ck_assert_int_eq(scenario != NULL, problems.count == 0);
    bool sound = false;
    if (scenario) {
        sound = experiment_prepare(scenario, text, &experiment, &problems);
        ck_assert_msg(sound == (problems.count == 0), "%s", text);
        experiment_free(&experiment);
    }
    for (size_t i = 0; i < problems.count; i++) {
        ck_assert_msg(problems.items[i].line > 0 && problems.items[i].column > 0 && *problems.items[i].text, "%s", text);
        ck_assert_ptr_null(strchr(problems.items[i].text, '\n'));
    }
    problems_free(&problems);
    scenario_free(scenario);
    json_decref(document);
    return sound;
}

START_TEST(damage_is_reported) {
    struct random_stream stream;
    random_seed(&stream, (uint64_t)_i + 1);
    ck_assert(is_sound(wholes[_i]));
    int refused = 0;
    for (int i = 0; i < 5000; i++) {
        json_t *document = json_loads(wholes[_i], 0, NULL);
        for (uint64_t times = 1 + random_below(&stream, 3); times > 0; times--) damage(document, &stream);
        char *text = json_dumps(document, JSON_INDENT(1));
        refused += !is_sound(text);
        free(text);
        json_decref(document);
    }
    ck_assert_int_gt(refused, 2500);
    ck_assert_int_lt(refused, 5000);
}
END_TEST

Suite *test_damage_suite(void) {
    Suite *suite = suite_create("damage");
    TCase *tests = tcase_create("damage");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, damage_is_reported, 0, sizeof wholes / sizeof *wholes);
    suite_add_tcase(suite, tests);
    return suite;
}
