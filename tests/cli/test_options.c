#include <check.h>
#include <string.h>

#include "cli/options.h"
#include "cli/shorthand.h"

static const struct option own_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "", NULL},
    {"jobs", 'j', OPTION_COUNT, offsetof(struct options, jobs), "N", "", NULL},
    {"links", 0, OPTION_LINKS, offsetof(struct options, links), "WHICH", "", NULL},
    {"csv", 0, OPTION_MAYBE, offsetof(struct options, csv), "collectives|links", "", NULL},
    {0},
};
static const struct option_group groups[] = {
    {"Own", own_options},
    {"Network", network_options},
    {"Workload", workload_options},
    {"Scenario", scenario_options},
    {"Limits", limit_options},
    {"General", common_options},
    {0},
};

enum { ARGUMENTS_MOST = 16 };

/// Parses arguments parted by '|'. `storage` must outlive the options.
static bool parse(const char *line, char storage[256], struct options *out, struct error *err) {
    char *argv[ARGUMENTS_MOST];
    int argc = 0;
    strcpy(storage, line);
    for (char *at = storage; argc < ARGUMENTS_MOST && *line;) {
        argv[argc++] = at;
        at = strchr(at, '|');
        if (!at) break;
        *at++ = '\0';
    }
    *err = (struct error){0};
    return options_parse(groups, argc, argv, out, err);
}

START_TEST(all_forms_of_options) {
    char storage[256];
    struct options options;
    struct error err;
    ck_assert(
        parse("a.json|--json|-j4|--until=5us|--set|a=1|--set|b=2|--max-memory|1KiB|-|--links|top:3|--|--json", storage, &options, &err));
    ck_assert(options.json);
    ck_assert_int_eq(options.jobs, 4);
    ck_assert_str_eq(options.until, "5us");
    ck_assert_int_eq(options.max_memory_bytes, 1024);
    ck_assert_uint_eq(options.set.count, 2);
    ck_assert_str_eq(options.set.items[1], "b=2");
    ck_assert_int_eq(options.links.set, LINKS_TOP);
    ck_assert_uint_eq(options.links.count, 3);
    ck_assert_uint_eq(options.operands.count, 3); // a.json, -, and --json after --
    ck_assert_str_eq(options.operands.items[1], "-");
    ck_assert_str_eq(options.operands.items[2], "--json");
    options_free(&options);
    ck_assert(parse("--csv|./links", storage, &options, &err)); // no value, and a file
    ck_assert_str_eq(options.csv, "");
    ck_assert_str_eq(options.operands.items[0], "./links");
    options_free(&options);
}
END_TEST

START_TEST(mistakes_are_named) {
    static const char *const rows[][2] = {
        {"--jsn", "unknown option --jsn (did you mean --json?)"},
        {"--zzzzzzzz", "unknown option --zzzzzzzz"},
        {"-x", "unknown option -x"},
        {"-help", "unknown option -help (did you mean --help?)"},
        {"--algorithm|ring", "unknown option --algorithm (--set workload.algorithm=… sets that key)"},
        {"--dims", "unknown option --dims (--set network.topology.dims=… sets that key)"},
        {"--send-overhead=1us", "unknown option --send-overhead (--set costs.send_overhead=… sets that key)"},
        {"--json=1", "--json takes no value"},
        {"--until", "--until needs a value: TIME"},
        {"-j|0", "--jobs: \"0\" is not a number of 1 or more"},
        {"-j|2x", "--jobs: \"2x\" is not a number of 1 or more"},
        {"-j|99999999999999999999", "--jobs: \"99999999999999999999\" is not a number of 1 or more"},
        {"--links|some", "--links: \"some\" is none of used, all, top:N"},
        {"--links|top:0", "--links top: \"0\" is not a number of 1 or more"},
        {"--links|al", "--links: \"al\" is none of used, all, top:N (did you mean \"all\"?)"},
        {"--color|red", "--color: \"red\" is none of auto, always, never"},
        {"--color|alwys", "--color: \"alwys\" is none of auto, always, never (did you mean \"always\"?)"},
        {"--csv|links|a.json", "--csv links: a value follows after =, --csv=links (a file of that name is ./links)"},
    };
    char storage[256];
    struct options options;
    struct error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert(!parse(rows[i][0], storage, &options, &err));
        ck_assert_str_eq(err.text, rows[i][1]);
        ck_assert_int_eq(err.kind, ERROR_INPUT);
        options_free(&options);
    }
    ck_assert(!parse("--max-memory|5", storage, &options, &err)); // the units are the parser's to name
    ck_assert(!strncmp(err.text, "--max-memory: ", 14));
    ck_assert(!parse("--max-memory|0B", storage, &options, &err)); // 0 would be no limit
    ck_assert_str_eq(err.text, "--max-memory: the size must be above 0");
    options_free(&options);
}
END_TEST

/// What the options become, joined by ';'.
static void expand(const char *line, char out[512], struct error *err) {
    char storage[256];
    struct options options;
    struct texts assignments = {0};
    out[0] = '\0';
    ck_assert(parse(line, storage, &options, err));
    if (shorthand_expand(&options, &assignments, err))
        for (size_t i = 0; i < assignments.count; i++) {
            if (i) strcat(out, ";");
            strcat(out, assignments.items[i]);
        }
    texts_free(&assignments);
    options_free(&options);
}

START_TEST(runs_without_a_file) {
    static const char *const rows[][2] = {
        {"--topology|torus:4x4|--link|ici-v5e",
         "network.topology={\"type\": \"torus\"};network.topology.dims=[4,4];network.topology.link=ici-v5e"},
        {"--topology|switch:8|--link|45GB/s,1us", "network.topology={\"type\": \"switch\"};network.topology.endpoints=8;"
                                                  "network.topology.link={\"bandwidth\": \"45GB/s\", \"latency\": \"1us\"}"},
        {"--topology|hypercube:4", "network.topology={\"type\": \"hypercube\"};network.topology.dimension=4"},
        {"--topology|leaf-spine:4x3x2|--link|l",
         "network.topology={\"type\": "
         "\"leaf-spine\"};network.topology.leaves=4;network.topology.hosts_per_leaf=3;network.topology.spines=2;"
         "network.topology.host_link=l;network.topology.up_link=l"},
        {"--topology|cluster:4x8|--link|nv|--nic-link|ib",
         "network.topology={\"type\": \"cluster\"};network.topology.node={\"type\": \"switch\"};"
         "network.topology.fabric={\"type\": \"switch\"};network.topology.nodes=4;"
         "network.topology.node.endpoints=8;network.topology.node.link=nv;network.topology.nic_link=ib"},
        {"--collective|all-reduce:ring|--size|64MB|--set|workload.size=1KB",
         "workload={\"type\": \"collective\"};workload.collective=all-reduce;workload.algorithm=ring;workload.size=64MB;workload.size=1KB"},
        {"--collective|barrier|--mapping|snake|--ranks|4|--chunk|whole|--seed|3",
         "workload={\"type\": \"collective\"};workload.collective=barrier;mapping=snake;ranks=4;network.chunk=whole;seed=3"},
    };
    char out[512];
    struct error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expand(rows[i][0], out, &err);
        ck_assert_str_eq(out, rows[i][1]);
    }
}
END_TEST

START_TEST(shapes_that_are_none) {
    static const char *const rows[][2] = {
        {"--topology|tours:4x4", "--topology: unknown shape \"tours\" (did you mean \"torus\"?)"},
        {"--topology|dragonfyl", "--topology: unknown shape \"dragonfyl\" (did you mean \"dragonfly\"?)"},
        {"--topology|dragonfly:4", "--topology: dragonfly has no short form, a scenario file describes it (\"network\": {\"topology\": "
                                   "{\"type\": \"dragonfly\", …}}); short forms are switch:8, ring:8, full:8, torus:4x4x4, mesh:4x4, "
                                   "hypercube:4, fat-tree:4, leaf-spine:4x4x2, cluster:4x8"},
        {"--topology|zigzag", "--topology: unknown shape \"zigzag\"; short forms are switch:8, ring:8, full:8, torus:4x4x4, mesh:4x4, "
                              "hypercube:4, fat-tree:4, leaf-spine:4x4x2, cluster:4x8"},
        {"--topology|torus", "--topology: sizes of a torus are written as torus:4x4x4"},
        {"--topology|torus:", "--topology: sizes of a torus are written as torus:4x4x4"},
        {"--topology|torus:4x", "--topology: sizes of a torus are written as torus:4x4x4"},
        {"--topology|switch:4x4", "--topology: sizes of a switch are written as switch:8"},
        {"--topology|cluster:4", "--topology: sizes of a cluster are written as cluster:4x8"},
        {"--topology|ring:-1", "--topology: sizes of a ring are written as ring:8"},
    };
    char out[512];
    struct error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expand(rows[i][0], out, &err);
        ck_assert_str_eq(err.text, rows[i][1]);
    }
}
END_TEST

Suite *test_options_suite(void);
Suite *test_options_suite(void) {
    Suite *suite = suite_create("options");
    TCase *all = tcase_create("options");
    tcase_add_test(all, all_forms_of_options);
    tcase_add_test(all, mistakes_are_named);
    tcase_add_test(all, runs_without_a_file);
    tcase_add_test(all, shapes_that_are_none);
    suite_add_tcase(suite, all);
    return suite;
}
