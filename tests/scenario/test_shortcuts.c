// Which of several shortcuts is taken, and what is said of runs that none of them shortens.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

enum { REPLAY = 1 << SHORTCUT_REPLAY, SYMMETRY = 1 << SHORTCUT_SYMMETRY };

#define LINK "'link': {'bandwidth': '45GB/s', 'latency': '1us'}"
#define TORUS "{'network': {'chunk': '%s', 'topology': {'type': 'torus', 'dims': [4, 4], " LINK "}}, 'workload': "
#define ALL_REDUCE "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'torus', 'size': '%dKB', 'repeat': %d}"

static void run_by(struct simulation *out, uint32_t shortcuts, const char *text) {
    simulate_limited(out, &(struct run_limits){.shortcuts = shortcuts, .proof = PROOF_CHOICE_OFF}, "%s", text);
    ck_assert_int_eq(out->result.status, RUN_COMPLETE);
}

static void are_equal(const struct run_result *a, const struct run_result *b) {
    ck_assert_int_eq(memcmp(&a->digest, &b->digest, sizeof a->digest), 0);
    ck_assert(a->makespan_ticks == b->makespan_ticks && a->messages == b->messages && a->chunk_hops == b->chunk_hops);
    for (uint32_t l = 0; l < a->link_count; l++) {
        const struct link_result x = link_result_of(a, l), y = link_result_of(b, l);
        ck_assert(x.bytes == y.bytes && x.chunks == y.chunks && x.busy_ticks == y.busy_ticks && x.peak_queue_bytes == y.peak_queue_bytes);
    }
}

/// Takes the shortcut when both are allowed, and gives what each way alone and none give.
static void takes(enum shortcut wanted, const char *text) {
    struct simulation both, other;
    run_by(&both, REPLAY | SYMMETRY, text);
    for (int s = SHORTCUT_REPLAY; s <= SHORTCUT_SYMMETRY; s++)
        ck_assert_msg((both.result.savings[s].uses > 0) == (s == (int)wanted), "%s in %s", shortcut_names[s], text);
    const char *why = both.result.untaken[wanted == SHORTCUT_REPLAY ? SHORTCUT_SYMMETRY : SHORTCUT_REPLAY];
    ck_assert_str_eq(why, wanted == SHORTCUT_REPLAY ? "replay was taken instead, which costs less" : "symmetry was taken instead");
    static const uint32_t ways[] = {0, REPLAY, SYMMETRY};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        run_by(&other, ways[w], text);
        are_equal(&both.result, &other.result);
        simulation_free(&other);
    }
    simulation_free(&both);
}

static char *text_of(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = scenario_text(format, arguments);
    va_end(arguments);
    return text;
}

// Four of 16 endpoints stand for all: a thousand repetitions are cheaper to count, four are not.
START_TEST(by_cost) {
    static const struct {
        const char *chunk;
        int size, repeat;
        enum shortcut wanted;
    } cases[] = {{"4KiB", 64, 1000, SHORTCUT_REPLAY}, {"whole", 64, 1000, SHORTCUT_REPLAY}, {"4KiB", 64, 4, SHORTCUT_SYMMETRY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_of(TORUS ALL_REDUCE "}", cases[i].chunk, cases[i].size, cases[i].repeat);
        takes(cases[i].wanted, text);
        free(text);
    }
}
END_TEST

// Two rings of steps side by side whose times have no common multiple: nothing comes round, and symmetry is taken after all.
START_TEST(what_does_not_come_round) {
    char *text = text_of(TORUS "{'type': 'parallel', 'of': [" ALL_REDUCE ", " ALL_REDUCE "]}}", "4KiB", 64, 3000, 112, 2500);
    takes(SHORTCUT_SYMMETRY, text);
    free(text);
}
END_TEST

static void take_note(void *context, const char *text) { strcpy(context, text); }

static bool stop(void *context, int64_t now_ticks, uint64_t chunk_hops) {
    (void)context, (void)now_ticks, (void)chunk_hops;
    return false;
}

/// The note on a run that is stopped at once; "" for none.
static void note_on(char note[600], const struct run_limits *limits, const char *format, ...) {
    struct run_limits stopped = *limits;
    struct simulation run;
    va_list arguments;
    va_start(arguments, format);
    char *text = scenario_text(format, arguments);
    va_end(arguments);
    stopped.progress = stop, stopped.note = take_note, stopped.context = note;
    note[0] = '\0';
    simulate_limited(&run, &stopped, "%s", text);
    simulation_free(&run);
    free(text);
}

// 4096 x 4095 messages of 64 chunks over 12 links in the mean: 1.3 x 10^10.
#define LONG                                                                                                             \
    "{'network': {'chunk': '64B', 'topology': {'type': 'torus', 'dims': [16, 16, 16], " LINK "}}, 'workload': {'type': " \
    "'collective', 'collective': 'all-to-all', 'order': 'shift', 'size': '16MiB', 'repeat': %d}%s}"

START_TEST(endless_runs) {
    const struct run_limits all = {.shortcuts = REPLAY | SYMMETRY}, none = {0}, limited = {.shortcuts = SYMMETRY, .max_events = 1000},
                            symmetry = {.shortcuts = SYMMETRY};
    char note[600];
    note_on(note, &all, LONG, 1, ", 'mapping': 'random'");
    ck_assert_msg(strstr(note, "about 1.") == note, "%s", note);
    ck_assert_ptr_nonnull(strstr(note, " x 10^10 chunk-hops lie ahead, "));
    ck_assert_ptr_nonnull(strstr(note, " minutes at ten million a second; symmetry saves none of them, since ranks are not placed in "));
    const struct run_limits memory = {.shortcuts = SYMMETRY, .max_memory = UINT64_C(1) << 40};
    note_on(note, &memory, LONG, 1, ""); // what would not help anyway is no reason
    ck_assert_ptr_nonnull(strstr(note, "since a limit may stop the run on its way; without"));
    note_on(note, &memory, LONG, 1, ", 'mapping': 'random'");
    ck_assert_ptr_nonnull(strstr(note, "since ranks are not placed in order"));
    note_on(note, &all, LONG, 1, ""); // symmetric
    ck_assert_str_eq(note, "");
    note_on(note, &none, LONG, 1, ", 'mapping': 'random'"); // nobody wants symmetry
    ck_assert_str_eq(note, "");
    note_on(note, &limited, LONG, 1, ", 'mapping': 'random'"); // it will be stopped
    ck_assert_str_eq(note, "");
    note_on(note, &symmetry, TORUS ALL_REDUCE ", 'mapping': 'random'}", "64B", 1024, 10000); // 480 messages of 1000 chunks each time
    ck_assert_msg(strstr(note, " x 10^10 chunk-hops") || strstr(note, " x 10^11 chunk-hops"), "%s", note);
    note_on(note, &all, TORUS ALL_REDUCE ", 'mapping': 'random'}", "64B", 1024, 10000); // replayed
    ck_assert_str_eq(note, "");
}
END_TEST

Suite *test_shortcuts_suite(void);
Suite *test_shortcuts_suite(void) {
    Suite *suite = suite_create("shortcuts");
    TCase *tests = tcase_create("shortcuts");
    tcase_add_test(tests, by_cost);
    tcase_add_test(tests, what_does_not_come_round);
    tcase_add_test(tests, endless_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
