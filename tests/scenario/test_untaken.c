// Why a shortcut that was allowed saved nothing.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

enum { SOLO = 1 << SHORTCUT_SOLO, REPLAY = 1 << SHORTCUT_REPLAY, SYMMETRY = 1 << SHORTCUT_SYMMETRY };

static const struct {
    enum shortcut shortcut;
    struct run_limits limits;
    const char *changes; ///< of the scenario, further keys
    const char *why;     ///< how it begins; NULL: it was taken
    bool proved;         ///< of its own accord
} cases[] = {
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY}, "", NULL, false},
    {SHORTCUT_SYMMETRY, {.shortcuts = 0}, "", NULL, false}, // nobody wants it
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY, .engine = ENGINE_HEAP}, "", "the heap engine", false},
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY, .proof = PROOF_CHOICE_ON}, "", "the proof follows", false},
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY, .max_events = 1000000}, "", "a limit", false},
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY}, "", "there are so few messages", true},
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY}, ", 'mapping': {'type': 'random'}", "ranks are not placed in order", false},
    {SHORTCUT_SYMMETRY, {.shortcuts = SYMMETRY}, ", 'ranks': 8", "ranks are not placed in order", false},
    {SHORTCUT_REPLAY, {.shortcuts = REPLAY}, "", "nothing is done more than three times", false},
    {SHORTCUT_REPLAY, {.shortcuts = REPLAY, .engine = ENGINE_WINDOW}, "", "the window engine", false},
    {SHORTCUT_REPLAY, {.shortcuts = REPLAY, .until_ticks = INT64_MAX}, "", "a limit", false},
    {SHORTCUT_REPLAY, {.shortcuts = REPLAY | SYMMETRY}, "", "symmetry was taken instead", false},
    {SHORTCUT_SOLO, {.shortcuts = SOLO}, "", "no message of four chunks or more", false},
    {SHORTCUT_SOLO, {.shortcuts = SOLO, .engine = ENGINE_HEAP}, "", "the heap engine", false},
    {SHORTCUT_SOLO, {.shortcuts = SOLO | SYMMETRY}, "", "symmetry was taken instead", false},
};

START_TEST(reasons) {
    struct simulation simulation;
    struct run_limits limits = cases[_i].limits;
    if (!cases[_i].proved && limits.proof == PROOF_CHOICE_AUTO) limits.proof = PROOF_CHOICE_OFF;
    simulate_limited(&simulation, &limits,
                     "{'network': {'topology': {'type': 'ring', 'endpoints': 16, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}}, "
                     "'workload': {'type': 'collective', 'collective': 'all-gather', 'algorithm': 'ring', 'size': '1KiB'}%s}",
                     cases[_i].changes);
    const char *why = simulation.result.untaken[cases[_i].shortcut];
    ck_assert_int_eq(simulation.result.status, RUN_COMPLETE);
    ck_assert_msg(!why == !cases[_i].why && (!why || strstr(why, cases[_i].why) == why), "case %d: %s", _i, why ? why : "none");
    simulation_free(&simulation);
}
END_TEST

// What is not looked at, and a broadcast, whose root is like no other rank.
START_TEST(kinds_without_symmetry) {
    static const struct {
        const char *topology, *workload, *why;
    } kinds[] = {
        {"'type': 'torus', 'dims': [4, 2]", "'type': 'messages', 'messages': [{'from': 0, 'to': 3, 'size': '1KB'}]",
         "ranks of this workload differ"},
        {"'type': 'mesh', 'dims': [4, 2]", "'type': 'collective', 'collective': 'barrier'", "no shifts of this topology are known"},
        {"'type': 'torus', 'dims': [4, 4]", "'type': 'collective', 'collective': 'broadcast', 'size': '1KB'", "no shift leaves links"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct simulation simulation;
        simulate_limited(&simulation, &(struct run_limits){.shortcuts = SYMMETRY, .proof = PROOF_CHOICE_OFF},
                         "{'network': {'topology': {%s, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}}, 'workload': {%s}}",
                         kinds[i].topology, kinds[i].workload);
        const char *why = simulation.result.untaken[SHORTCUT_SYMMETRY];
        ck_assert_ptr_nonnull(why);
        ck_assert_msg(strstr(why, kinds[i].why) == why, "%zu: %s", i, why);
        simulation_free(&simulation);
    }
}
END_TEST

Suite *test_untaken_suite(void);
Suite *test_untaken_suite(void) {
    Suite *suite = suite_create("untaken");
    TCase *tests = tcase_create("untaken");
    tcase_add_loop_test(tests, reasons, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, kinds_without_symmetry);
    suite_add_tcase(suite, tests);
    return suite;
}
