// Link traces add up: over random runs the bins of every width hold the link's own totals, to the tick and the byte.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"
#include "record/link_trace.h"
#include "report/random_run.h"

enum { RUNS = 1000, TRACES = 4 };

/// Sums that need no bins.
struct tally {
    uint64_t services;
    unsigned __int128 *queue_byte_ticks; ///< per link
};

static void count_service(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    (void)message, (void)end;
    struct tally *tally = context;
    tally->services++;
    tally->queue_byte_ticks[link] += (unsigned __int128)bytes * (unsigned __int128)(start - joined);
}

static void assert_adds_up(const struct simulation *run, const struct link_trace *trace, const struct tally *tally, uint32_t link) {
    const struct carried_load *totals = &run->result.loads[link];
    const struct link_bin *bins;
    size_t count = link_trace_of(trace, link, &bins);
    int64_t busy = 0, bytes = 0, peak = 0, width = link_trace_bin_ticks(trace);
    unsigned __int128 queue = 0;
    size_t odd = 0; // counted: an assertion a bin would take most of the time
    for (size_t i = 0; i < count; i++) {
        odd += bins[i].index >= link_trace_bins(trace) || (i > 0 && bins[i].index <= bins[i - 1].index) || bins[i].busy_ticks > width;
        odd += bins[i].queue_byte_ticks > (unsigned __int128)bins[i].queue_peak_bytes * (unsigned __int128)width;
        busy += bins[i].busy_ticks;
        bytes += bins[i].bytes;
        queue += bins[i].queue_byte_ticks;
        if (bins[i].queue_peak_bytes > peak) peak = bins[i].queue_peak_bytes;
    }
    ck_assert_uint_eq(odd, 0);
    ck_assert_int_eq(busy, totals->busy_ticks);
    ck_assert_int_eq(bytes, (int64_t)totals->bytes);
    ck_assert_int_eq(peak, totals->peak_queue_bytes);
    ck_assert(queue == tally->queue_byte_ticks[link]);
}

/// Every bin of a trace whose width is a multiple of another's holds the sums of those.
static void assert_nested(const struct link_trace *fine, const struct link_trace *coarse, uint32_t link) {
    int64_t ratio = link_trace_bin_ticks(coarse) / link_trace_bin_ticks(fine);
    if (link_trace_bin_ticks(coarse) % link_trace_bin_ticks(fine)) return;
    const struct link_bin *small, *large;
    size_t small_count = link_trace_of(fine, link, &small), large_count = link_trace_of(coarse, link, &large), at = 0;
    for (size_t i = 0; i < large_count; i++) {
        int64_t busy = 0, bytes = 0;
        for (; at < small_count && small[at].index / ratio == large[i].index; at++) busy += small[at].busy_ticks, bytes += small[at].bytes;
        if (busy == large[i].busy_ticks && bytes == large[i].bytes) continue;
        ck_assert_int_eq(busy, large[i].busy_ticks);
        ck_assert_int_eq(bytes, large[i].bytes);
    }
    ck_assert_uint_eq(at, small_count);
}

static void trace_random_run(struct random_stream *stream) {
    char text[SCENARIO_SIZE];
    struct simulation plain;
    simulate(&plain, "%s", random_scenario(stream, text));
    const uint32_t links = plain.result.link_count;
    const struct bin_rule rules[TRACES] = {{1, 16}, {1, 500}, {64 + (int64_t)random_below(stream, 100000), 256}, {INT64_MAX, 2}};
    struct link_trace *traces[TRACES];
    struct tally tally = {0, calloc(links, sizeof *tally.queue_byte_ticks)};
    struct observers observers = {0};
    for (int i = 0; i < TRACES; i++) {
        traces[i] = link_trace_create(links, rules[i]);
        const struct recorder recorder = link_trace_recorder(traces[i]);
        observers_add(&observers, &recorder);
    }
    observers_add(&observers, &(struct recorder){.links = {&tally, count_service}});
    struct run_result result;
    struct error err = {0};
    ck_assert(experiment_run(&plain.experiment, &(struct run_limits){0}, &observers, &result, &err));
    ck_assert_uint_eq(result.digest.low, plain.result.digest.low);
    ck_assert_uint_eq(tally.services, result.chunk_hops);
    for (int i = 0; i < TRACES; i++) link_trace_finish(traces[i], result.makespan_ticks);
    for (uint32_t l = 0; l < links; l++) {
        for (int i = 0; i < TRACES; i++) assert_adds_up(&plain, traces[i], &tally, l);
        assert_nested(traces[1], traces[0], l);
    }
    if (result.makespan_ticks > 500) {
        ck_assert_int_gt(2 * link_trace_bins(traces[1]), 500);
        ck_assert_int_le(link_trace_bins(traces[1]), 500);
    }
    for (int i = 0; i < TRACES; i++) link_trace_free(traces[i]);
    free(tally.queue_byte_ticks);
    observers_free(&observers);
    run_result_free(&result);
    simulation_free(&plain);
}

START_TEST(random_runs_add_up) {
    struct random_stream stream;
    random_seed(&stream, 4);
    for (int i = 0; i < RUNS; i++) trace_random_run(&stream);
}
END_TEST

static void serve(struct link_trace *trace, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    const struct recorder recorder = link_trace_recorder(trace);
    recorder.links.service(recorder.links.context, 0, 0, joined, start, end, bytes);
}

static void assert_bin(const struct link_trace *trace, size_t at, struct link_bin expected) {
    const struct link_bin *bins;
    ck_assert_uint_gt(link_trace_of(trace, 0, &bins), at);
    ck_assert_int_eq(bins[at].index, expected.index);
    ck_assert_int_eq(bins[at].busy_ticks, expected.busy_ticks);
    ck_assert_int_eq(bins[at].bytes, expected.bytes);
    ck_assert_int_eq((int64_t)bins[at].queue_byte_ticks, (int64_t)expected.queue_byte_ticks);
    ck_assert_int_eq(bins[at].queue_peak_bytes, expected.queue_peak_bytes);
}

// Bins [0, 10), [10, 20) …: 7 bytes over [5, 25) are 7*5/20 = 1.75, 7*15/20 = 5.25 and 7 at the edges, rounded down.
START_TEST(edges_of_bins) {
    struct link_trace *trace = link_trace_create(1, (struct bin_rule){10, 100});
    serve(trace, 5, 5, 25, 7);
    serve(trace, 10, 25, 30, 3); // waits in [10, 25), and ends with its bin
    serve(trace, 60, 70, 80, 4); // waits for its own tail in [60, 70)
    serve(trace, 70, 80, 90, 5); // joins as the other one begins: never two in the queue
    serve(trace, 70, 90, 90, 0); // no bytes
    link_trace_finish(trace, 100);
    ck_assert_int_eq(link_trace_bins(trace), 10);
    assert_bin(trace, 0, (struct link_bin){.index = 0, .busy_ticks = 5, .bytes = 1});
    assert_bin(trace, 1, (struct link_bin){.index = 1, .busy_ticks = 10, .bytes = 4, .queue_byte_ticks = 30, .queue_peak_bytes = 3});
    assert_bin(trace, 2, (struct link_bin){.index = 2, .busy_ticks = 10, .bytes = 5, .queue_byte_ticks = 15, .queue_peak_bytes = 3});
    assert_bin(trace, 3, (struct link_bin){.index = 6, .queue_byte_ticks = 40, .queue_peak_bytes = 4});
    assert_bin(trace, 4, (struct link_bin){.index = 7, .busy_ticks = 10, .bytes = 4, .queue_byte_ticks = 50, .queue_peak_bytes = 5});
    assert_bin(trace, 5, (struct link_bin){.index = 8, .busy_ticks = 10, .bytes = 5});
    link_trace_free(trace);
}
END_TEST

// A trace of at most 4 bins: [0, 1) … [0, 16) as the clock goes on, and times near the end of the clock.
START_TEST(widths_double) {
    struct link_trace *trace = link_trace_create(1, (struct bin_rule){1, 4});
    serve(trace, 0, 0, 3, 3);
    ck_assert_int_eq(link_trace_bin_ticks(trace), 1);
    serve(trace, 4, 4, 9, 5);
    ck_assert_int_eq(link_trace_bin_ticks(trace), 4);
    link_trace_finish(trace, 16);
    ck_assert_int_eq(link_trace_bin_ticks(trace), 4);
    assert_bin(trace, 0, (struct link_bin){.index = 0, .busy_ticks = 3, .bytes = 3});
    assert_bin(trace, 1, (struct link_bin){.index = 1, .busy_ticks = 4, .bytes = 4});
    assert_bin(trace, 2, (struct link_bin){.index = 2, .busy_ticks = 1, .bytes = 1});
    link_trace_free(trace);
    trace = link_trace_create(1, (struct bin_rule){1, 2});
    serve(trace, 0, 0, INT64_MAX, INT64_MAX);
    link_trace_finish(trace, INT64_MAX);
    ck_assert_int_eq(link_trace_bin_ticks(trace), INT64_C(1) << 62);
    assert_bin(trace, 1, (struct link_bin){.index = 1, .busy_ticks = (INT64_C(1) << 62) - 1, .bytes = (INT64_C(1) << 62) - 1});
    link_trace_free(trace);
}
END_TEST

Suite *test_link_trace_suite(void);
Suite *test_link_trace_suite(void) {
    Suite *suite = suite_create("link_trace");
    TCase *bins = tcase_create("bins");
    tcase_set_timeout(bins, 120);
    tcase_add_test(bins, edges_of_bins);
    tcase_add_test(bins, widths_double);
    tcase_add_test(bins, widths_double);
    tcase_add_test(bins, random_runs_add_up);
    suite_add_tcase(suite, bins);
    return suite;
}
