// Spans of ranks: by hand through the calls of the communicator, and over random runs.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"
#include "record/phases.h"
#include "report/random_run.h"

enum { RANDOM_RUNS = 200, PLENTY = 1 << 20 };

static uint64_t three_steps(const struct collective_args *args, uint32_t machine) {
    (void)args, (void)machine;
    return 3;
}

static const struct algorithm by_hand = {.kind = ALL_REDUCE, .name = "by-hand", .steps = three_steps};

static void open_collective(const struct recorder *recorder, uint32_t id, uint32_t size) {
    const struct collective_request request = {.algorithm = &by_hand, .args = {.kind = ALL_REDUCE, .size = size}};
    recorder->ranks.opened(recorder->ranks.context, id, &request);
}

static void start_step(const struct recorder *recorder, uint32_t id, uint32_t member, uint64_t k, const char *phase, int64_t now) {
    struct operation operation = {.is_send = true};
    const struct step step = {.operations = &operation, .count = 1, .phase = phase, .phase_step = k % 2, .phase_steps = 2};
    recorder->ranks.step_started(recorder->ranks.context, id, member, 0, k, &step, now);
}

static void assert_span(const struct phase_list *list, size_t at, struct phase_span expected) {
    ck_assert_uint_lt(at, list->span_count);
    const struct phase_span *span = &list->spans[at];
    ck_assert_int_eq(span->start_ticks, expected.start_ticks);
    ck_assert_int_eq(span->end_ticks, expected.end_ticks);
    ck_assert_uint_eq(span->lane, expected.lane);
    ck_assert_int_eq(span->kind, expected.kind);
    ck_assert_uint_eq(span->step, expected.step);
    ck_assert_uint_eq(span->steps, expected.steps);
    ck_assert_pstr_eq(span->phase, expected.phase);
}

// Rank 0: two steps of "a" and one of "b"; rank 1 stalls in its first step, 7 late. Spans come as they end.
START_TEST(steps_phases_and_stalls) {
    struct phases *phases = phases_create(2, PLENTY);
    const struct recorder recorder = phases_recorder(phases);
    open_collective(&recorder, 0, 2);
    recorder.ranks.delayed(recorder.ranks.context, 0, 1, 7, 3);
    start_step(&recorder, 0, 0, 0, "a", 5);
    start_step(&recorder, 0, 1, 0, NULL, 10);
    start_step(&recorder, 0, 0, 1, "a", 20);
    start_step(&recorder, 0, 0, 2, "b", 30);
    recorder.ranks.finished(recorder.ranks.context, 0, 0, 0, 45);
    phases_finish(phases, 60, true);
    struct phase_list list = phases_all(phases);
    ck_assert_uint_eq(list.span_count, 8);
    assert_span(&list, 0, (struct phase_span){5, 20, 0, IN_STEP, &by_hand, "a", 0, 2});
    assert_span(&list, 1, (struct phase_span){20, 30, 0, IN_STEP, &by_hand, "a", 1, 2});
    assert_span(&list, 2, (struct phase_span){5, 30, 0, IN_PHASE, &by_hand, "a", 0, 0});
    assert_span(&list, 3, (struct phase_span){30, 45, 0, IN_STEP, &by_hand, "b", 0, 2});
    assert_span(&list, 4, (struct phase_span){30, 45, 0, IN_PHASE, &by_hand, "b", 0, 0});
    assert_span(&list, 5, (struct phase_span){5, 45, 0, IN_COLLECTIVE, &by_hand, NULL, 0, 0});
    assert_span(&list, 6, (struct phase_span){10, 60, 1, IN_STEP, &by_hand, NULL, 0, 3});
    assert_span(&list, 7, (struct phase_span){10, 60, 1, IN_COLLECTIVE, &by_hand, NULL, 0, 0});
    ck_assert_uint_eq(list.instant_count, 2);
    ck_assert(!list.instants[0].stalled && list.instants[0].ticks == 10 && list.instants[0].delay_ticks == 7 && list.instants[0].lane == 1);
    ck_assert(list.instants[1].stalled && list.instants[1].ticks == 60 && list.instants[1].lane == 1);
    ck_assert_uint_eq(list.every, 1);
    ck_assert_int_eq(list.lost_from, -1);
    phases_free(phases);
}
END_TEST

// Two collectives at once take two lanes of a rank; a third one takes the lane that has become free.
START_TEST(lanes) {
    struct phases *phases = phases_create(3, PLENTY);
    const struct recorder recorder = phases_recorder(phases);
    for (uint32_t id = 0; id < 3; id++) open_collective(&recorder, id, 3);
    start_step(&recorder, 0, 1, 0, NULL, 0);
    start_step(&recorder, 1, 1, 0, NULL, 1);
    recorder.ranks.finished(recorder.ranks.context, 0, 1, 0, 2);
    start_step(&recorder, 2, 1, 0, NULL, 2);
    recorder.ranks.finished(recorder.ranks.context, 2, 1, 0, 4);
    recorder.ranks.finished(recorder.ranks.context, 1, 1, 0, 5);
    phases_finish(phases, 5, false);
    struct phase_list list = phases_all(phases);
    ck_assert_uint_eq(list.lane_count, 4);
    ck_assert_uint_eq(list.lanes[3].rank, 1);
    ck_assert_uint_eq(list.lanes[3].number, 1);
    assert_span(&list, 1, (struct phase_span){0, 2, 1, IN_COLLECTIVE, &by_hand, NULL, 0, 0});
    assert_span(&list, 3, (struct phase_span){2, 4, 1, IN_COLLECTIVE, &by_hand, NULL, 0, 0});
    assert_span(&list, 5, (struct phase_span){1, 5, 3, IN_COLLECTIVE, &by_hand, NULL, 0, 0});
    phases_free(phases);
}
END_TEST

// 8 ranks with 2 spans each, at most 5 kept: ranks 0, 2, 4, 6 would be 8, ranks 0 and 4 are 4. At most 1: the first of rank 0.
START_TEST(thinning) {
    static const struct {
        size_t most, kept;
        uint32_t every;
        int64_t lost_from;
    } cases[] = {{16, 16, 1, -1}, {15, 8, 2, -1}, {5, 4, 4, -1}, {2, 2, 8, -1}, {1, 1, 8, 10}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct phases *phases = phases_create(8, cases[c].most);
        const struct recorder recorder = phases_recorder(phases);
        open_collective(&recorder, 0, 8);
        for (uint32_t rank = 0; rank < 8; rank++) start_step(&recorder, 0, rank, 0, NULL, 0);
        for (uint32_t rank = 0; rank < 8; rank++) recorder.ranks.finished(recorder.ranks.context, 0, rank, 0, 10 + rank);
        phases_finish(phases, 20, false);
        struct phase_list list = phases_all(phases);
        ck_assert_uint_eq(list.span_count, cases[c].kept);
        ck_assert_uint_eq(list.every, cases[c].every);
        ck_assert_int_eq(list.lost_from, cases[c].lost_from);
        for (size_t i = 0; i < list.span_count; i++) ck_assert_uint_eq(list.lanes[list.spans[i].lane].rank % cases[c].every, 0);
        phases_free(phases);
    }
}
END_TEST

// Every rank's last span of a collective ends when the result says that the rank ended.
START_TEST(random_runs_end_as_reported) {
    struct random_stream stream;
    char text[SCENARIO_SIZE];
    random_seed(&stream, 9);
    for (int i = 0; i < RANDOM_RUNS; i++) {
        struct simulation plain;
        struct run_result result;
        struct error err = {0};
        struct observers observers = {0};
        simulate(&plain, "%s", random_scenario(&stream, text));
        struct phases *phases = phases_create(plain.result.ranks, PLENTY);
        const struct recorder recorder = phases_recorder(phases);
        observers_add(&observers, &recorder);
        ck_assert(experiment_run(&plain.experiment, &(struct run_limits){0}, &observers, &result, &err));
        phases_finish(phases, result.makespan_ticks, false);
        struct phase_list list = phases_all(phases);
        int64_t *ends = calloc(result.ranks, sizeof *ends);
        for (size_t s = 0; s < list.span_count; s++) {
            uint32_t rank = list.lanes[list.spans[s].lane].rank;
            if (list.spans[s].kind == IN_COLLECTIVE && list.spans[s].end_ticks > ends[rank]) ends[rank] = list.spans[s].end_ticks;
        }
        for (uint32_t r = 0; result.collective_count > 0 && r < result.ranks; r++)
            ck_assert_int_eq(ends[r], result.collectives[0].rank_end_ticks[r]);
        free(ends);
        phases_free(phases);
        observers_free(&observers);
        run_result_free(&result);
        simulation_free(&plain);
    }
}
END_TEST

Suite *test_phases_suite(void);
Suite *test_phases_suite(void) {
    Suite *suite = suite_create("phases");
    TCase *spans = tcase_create("spans");
    tcase_set_timeout(spans, 60);
    tcase_add_test(spans, steps_phases_and_stalls);
    tcase_add_test(spans, lanes);
    tcase_add_test(spans, thinning);
    tcase_add_test(spans, random_runs_end_as_reported);
    suite_add_tcase(suite, spans);
    return suite;
}
