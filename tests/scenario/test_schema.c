// The JSON Schema: kept equal to the file in the repository, whole in itself, and as wide as the tables.
#include "scenario/schema.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algos/algorithm.h"
#include "scenario/link_presets.h"
#include "scenario/scenario.h"
#include "topo/topology.h"

#define FILE_NAME "schemas/scenario.schema.json"

START_TEST(file_is_as_printed) {
    size_t length;
    struct error err = {0};
    char *file = read_text(FILE_NAME, &length, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    json_t *schema = scenario_schema();
    char *printed = json_dumps(schema, JSON_INDENT(2));
    bool same = strlen(printed) + 1 == length && !strncmp(file, printed, length - 1);
    ck_assert_msg(same, "the tables have changed: ./weft schema > " FILE_NAME);
    free(printed);
    free(file);
    json_decref(schema);
}
END_TEST

/// How many references there are below `value`; each must name a definition.
static size_t check_references(const json_t *value, const json_t *definitions) {
    static const char prefix[] = "#/$defs/";
    size_t count = 0, index;
    const char *key;
    json_t *below;
    json_object_foreach((json_t *)value, key, below) {
        if (strcmp(key, "$ref") != 0) {
            count += check_references(below, definitions);
            continue;
        }
        const char *target = json_string_value(below);
        ck_assert_msg(!strncmp(target, prefix, strlen(prefix)), "%s", target);
        ck_assert_msg(json_object_get(definitions, target + strlen(prefix)) != NULL, "%s is not defined", target);
        count++;
    }
    json_array_foreach(value, index, below) count += check_references(below, definitions);
    return count;
}

START_TEST(references_are_defined) {
    json_t *schema = scenario_schema();
    ck_assert_uint_gt(check_references(schema, json_object_get(schema, "$defs")), 50);
    json_decref(schema);
}
END_TEST

/// The value at a path of keys that ends with NULL.
static const json_t *at(const json_t *value, const char *const *path) {
    for (; *path; path++) value = json_object_get(value, *path);
    return value;
}
#define AT(schema, ...) at(schema, (const char *const[]){"$defs", __VA_ARGS__, NULL})

static bool lists(const json_t *names, const char *name) {
    size_t index;
    const json_t *value;
    json_array_foreach(names, index, value) if (!strcmp(json_string_value(value), name)) return true;
    return false;
}

START_TEST(all_variants_and_presets_are_in_it) {
    json_t *schema = scenario_schema();
    const json_t *shapes = AT(schema, "topology", "properties", "type", "enum");
    size_t count = 0;
    for (const struct variant_type *const *t = topology_family.types; *t; t++, count++) {
        char key[64];
        snprintf(key, sizeof key, "topology-%s", (*t)->name);
        ck_assert(lists(shapes, (*t)->name));
        for (const struct field *f = (*t)->fields; f->name; f++) ck_assert_ptr_nonnull(AT(schema, key, "properties", f->name));
    }
    ck_assert_uint_eq(json_array_size(shapes), count);
    const json_t *links = AT(schema, "link-preset", "enum");
    for (const struct link_preset *preset = link_presets; preset->name; preset++) ck_assert(lists(links, preset->name));
    json_decref(schema);
}
END_TEST

START_TEST(it_refers_to_itself) {
    json_t *schema = scenario_schema();
    ck_assert_str_eq(json_string_value(AT(schema, "workload-sequence", "properties", "of", "items", "$ref")), "#/$defs/workload");
    ck_assert_str_eq(json_string_value(AT(schema, "topology-cluster", "properties", "node", "$ref")), "#/$defs/topology");
    json_decref(schema);
}
END_TEST

START_TEST(algorithms_follow_the_collective) {
    json_t *schema = scenario_schema();
    const json_t *rules = AT(schema, "workload-collective", "allOf");
    size_t index;
    const json_t *rule;
    json_array_foreach(rules, index, rule) {
        const char *collective = json_string_value(at(rule, (const char *const[]){"if", "properties", "collective", "const", NULL}));
        const json_t *names = at(rule, (const char *const[]){"then", "properties", "algorithm", "enum", NULL});
        ck_assert_str_eq(collective, collective_names[index]);
        ck_assert(lists(names, "auto"));
        for (const struct algorithm *const *a = algorithms; *a; a++)
            if (!strcmp(collective_names[(*a)->kind], collective)) ck_assert(lists(names, (*a)->name));
        ck_assert_int_eq(lists(names, "rabenseifner"), index == ALL_REDUCE);
    }
    json_decref(schema);
}
END_TEST

START_TEST(defaults_examples_and_limits) {
    json_t *schema = scenario_schema();
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *chunk = at(properties, (const char *const[]){"network", "properties", "chunk", NULL});
    ck_assert_str_eq(json_string_value(json_object_get(chunk, "default")), "64KiB");
    const json_t *overhead = at(properties, (const char *const[]){"costs", "properties", "send_overhead", NULL});
    ck_assert_str_eq(json_string_value(json_object_get(overhead, "default")), "0s");
    const json_t *ranks = json_object_get(properties, "ranks");
    ck_assert_int_eq(json_integer_value(json_object_get(ranks, "minimum")), 1);
    ck_assert_ptr_null(json_object_get(ranks, "default"));
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(ranks, "examples"), 0)), 16);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(properties, "mapping"), "default")), "linear");
    json_decref(schema);
}
END_TEST

Suite *test_schema_suite(void) {
    Suite *suite = suite_create("schema");
    TCase *tests = tcase_create("schema");
    tcase_add_test(tests, file_is_as_printed);
    tcase_add_test(tests, references_are_defined);
    tcase_add_test(tests, all_variants_and_presets_are_in_it);
    tcase_add_test(tests, it_refers_to_itself);
    tcase_add_test(tests, algorithms_follow_the_collective);
    tcase_add_test(tests, defaults_examples_and_limits);
    suite_add_tcase(suite, tests);
    return suite;
}
