#include <check.h>
#include <string.h>

#include "algos/algorithm.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/option_values.h"
#include "record/proof.h"
#include "scenario/simulate.h"
#include "topo/topology.h"

static const struct option *find(const struct command *command, const char *name) {
    for (const struct option_group *group = command->groups; group->title; group++)
        for (const struct option *option = group->options; option->name; option++)
            if (!strcmp(option->name, name)) return option;
    ck_abort_msg("%s has no --%s", command->name, name);
}

static bool contains(const struct texts *texts, const char *text) {
    for (size_t i = 0; i < texts->count; i++)
        if (!strcmp(texts->items[i], text)) return true;
    return false;
}

/// The values proposed for an option of run are those names, in order.
static void are(const char *name, const char *const *names) {
    struct texts values = {0};
    option_values(find(&run_command, name), &values);
    for (size_t i = 0; names[i]; i++) ck_assert_str_eq(values.items[i], names[i]);
    ck_assert(!names[values.count]);
    texts_free(&values);
}

START_TEST(choices_are_what_is_accepted) {
    are("heat", heat_names);
    are("engine", engine_names);
    are("proof", proof_choice_names);
    are("color", (const char *const[]){"auto", "always", "never", NULL});
    are("links", (const char *const[]){"used", "all", "top:", NULL}); // a number follows
    are("switching", (const char *const[]){"cut-through", "store-and-forward", NULL});
    are("sync", (const char *const[]){"free", "step", NULL});
    are("chunk", (const char *const[]){"whole", NULL});
    are("mapping", (const char *const[]){"linear", "random", "snake", "stride", NULL}); // not the list
    are("size", (const char *const[]){NULL});
}
END_TEST

START_TEST(names_come_from_their_tables) {
    struct texts values = {0};
    option_values(find(&run_command, "collective"), &values);
    for (int i = 0; collective_names[i]; i++) ck_assert(contains(&values, collective_names[i]));
    size_t count = 0;
    while (algorithms[count]) count++;
    ck_assert_uint_eq(values.count, count + COLLECTIVE_KINDS);
    ck_assert(contains(&values, "all-to-all:bruck"));
    texts_free(&values);
    option_values(find(&run_command, "topology"), &values);
    for (size_t i = 0; i < values.count; i++) { // each is a shape's name with sizes to follow
        char *colon = strchr(values.items[i], ':');
        ck_assert_ptr_nonnull(colon);
        *colon = '\0';
        bool known = false;
        for (size_t t = 0; topology_family.types[t]; t++) known = known || !strcmp(topology_family.types[t]->name, values.items[i]);
        ck_assert_msg(known, "%s", values.items[i]);
    }
    texts_free(&values);
}
END_TEST

START_TEST(keys_are_dotted) {
    struct texts keys = {0}, values = {0};
    scenario_keys(&keys);
    static const char *const some[] = {"seed", "network.chunk", "network.topology.dims", "workload.size", "output.perfetto.file", "costs"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) ck_assert_msg(contains(&keys, some[i]), "%s", some[i]);
    ck_assert(!contains(&keys, "$schema"));
    for (size_t i = 0; i < keys.count; i++)
        for (size_t j = 0; j < i; j++) ck_assert_str_ne(keys.items[i], keys.items[j]);
    texts_free(&keys);
    option_values(find(&compare_command, "vary"), &values);
    ck_assert(contains(&values, "mapping=snake"));
    ck_assert(contains(&values, "workload.algorithm=ring"));
    ck_assert(contains(&values, "ranks="));
    texts_free(&values);
}
END_TEST

START_TEST(one_format_at_a_time) {
    static const char *const tables[] = {"first", "second", NULL};
    struct format format;
    struct error err = {0};
    struct options options = {0};
    ck_assert(format_from_options(&options, tables, &format, &err));
    ck_assert(format.kind == FORMAT_TABLE && format_for_people(format));
    options.csv = "";
    ck_assert(format_from_options(&options, tables, &format, &err));
    ck_assert(format.kind == FORMAT_CSV && format.table == 0 && !format_for_people(format));
    options.csv = "second";
    ck_assert(format_from_options(&options, tables, &format, &err));
    ck_assert_int_eq(format.table, 1);
    options.csv = "third";
    ck_assert(!format_from_options(&options, tables, &format, &err));
    ck_assert_str_eq(err.text, "--csv: \"third\" is none of first, second");
    options.csv = "first", options.json = true;
    err = (struct error){0};
    ck_assert(!format_from_options(&options, tables, &format, &err));
    ck_assert_str_eq(err.text, "--csv or --json? One format at a time");
}
END_TEST

Suite *test_option_values_suite(void);
Suite *test_option_values_suite(void) {
    Suite *suite = suite_create("option values");
    TCase *all = tcase_create("option values");
    tcase_add_test(all, choices_are_what_is_accepted);
    tcase_add_test(all, names_come_from_their_tables);
    tcase_add_test(all, keys_are_dotted);
    tcase_add_test(all, one_format_at_a_time);
    suite_add_tcase(suite, all);
    return suite;
}
