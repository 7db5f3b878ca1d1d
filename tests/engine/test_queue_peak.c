#include <check.h>
#include <stdlib.h>

#include "engine/queue_peak.h"

static void wait_for(struct queue_peak *peak, int64_t now, struct waiting_run run) { queue_peak_wait(peak, &run, now); }

// Served from 10 on, 5 ticks each: of the three, the first has begun at 12, the second at 16.
START_TEST(counts_what_has_not_begun) {
    struct queue_peak peak = {0};
    wait_for(&peak, 0, (struct waiting_run){10, 5, 100, 3}); // begin at 10, 15, 20
    ck_assert_int_eq(peak.peak_bytes, 300);
    wait_for(&peak, 12, (struct waiting_run){25, 5, 100, 1}); // 200 and this: no new peak
    ck_assert_int_eq(peak.peak_bytes, 300);
    wait_for(&peak, 16, (struct waiting_run){30, 2, 250, 1}); // 100 and 100 and this
    ck_assert_int_eq(peak.peak_bytes, 450);
    queue_peak_free(&peak);
}
END_TEST

START_TEST(a_chunk_that_begins_now_does_not_wait) {
    struct queue_peak peak = {0};
    wait_for(&peak, 0, (struct waiting_run){10, 5, 100, 1});
    wait_for(&peak, 10, (struct waiting_run){15, 5, 101, 1});
    ck_assert_int_eq(peak.peak_bytes, 101);
    queue_peak_free(&peak);
}
END_TEST

// The same by a list of chunks: two in five join while earlier ones wait, sizes and times at random-looking strides.
START_TEST(agrees_with_a_plain_list) {
    enum { CHUNKS = 400 };
    struct queue_peak peak = {0};
    int64_t starts[CHUNKS], sizes[CHUNKS], free_at = 1, now = 0, most = 0;
    for (int i = 0; i < CHUNKS; i++) {
        now += i * 7 % 23;
        sizes[i] = 1 + i * i % 40;
        starts[i] = free_at > now ? free_at : now + 1;
        free_at = starts[i] + sizes[i] / 2;
        wait_for(&peak, now, (struct waiting_run){starts[i], sizes[i] / 2, sizes[i], 1});
        int64_t waiting = 0;
        for (int j = 0; j <= i; j++) waiting += starts[j] > now ? sizes[j] : 0;
        if (waiting > most) most = waiting;
        ck_assert_int_eq(peak.peak_bytes, most);
    }
    queue_peak_free(&peak);
}
END_TEST

// Chunks that join one after the other, told together: as if each were told alone. What waits already is of the same size or not.
START_TEST(many_are_as_one_by_one) {
    enum { MOST = 40, TICKS = 5 };
    int64_t other = _i % 2, joins[MOST];
    struct queue_peak together = {0}, alone = {0};
    int64_t free_at = 0, now = 0;
    for (int round = 0; round < 60; round++) {
        struct waiting_run run = {0, TICKS + other * (round % 3), 100 + other * (round % 3), (uint64_t)(1 + (round * 7 + _i) % MOST)};
        now += round * (13 + _i) % 97;
        run.start = free_at = free_at > now ? free_at : now + 1;
        for (uint64_t k = 0; k < run.chunks; k++) {
            joins[k] = now;
            queue_peak_wait(&alone, &(struct waiting_run){free_at, run.service_ticks, run.chunk_bytes, 1}, now);
            now += ((int64_t)k * 5 + _i) % 9;
            if (now >= free_at + run.service_ticks) now = free_at;
            free_at += run.service_ticks;
        }
        if (queue_peak_may_rise(&together, (int64_t)run.chunks * run.chunk_bytes, joins[0]))
            queue_peak_wait_each(&together, &run, joins);
        else
            queue_peak_wait(&together, &run, joins[0]);
        ck_assert_int_eq(together.peak_bytes, alone.peak_bytes);
    }
    queue_peak_free(&together);
    queue_peak_free(&alone);
}
END_TEST

// Asked beforehand: no when even with all that is held there is no new peak, or once what has begun is dropped.
START_TEST(tells_whether_it_may_rise) {
    struct queue_peak peak = {0};
    wait_for(&peak, 0, (struct waiting_run){10, 5, 100, 2}); // begin at 10, 15
    ck_assert(queue_peak_may_rise(&peak, 1, 0));
    ck_assert(queue_peak_may_rise(&peak, 101, 12));
    ck_assert(!queue_peak_may_rise(&peak, 100, 12));
    ck_assert(!queue_peak_may_rise(&peak, 200, 15));
    ck_assert(queue_peak_may_rise(&peak, 201, 15));
    ck_assert_int_eq(peak.peak_bytes, 200);
    queue_peak_free(&peak);
}
END_TEST

// Chunks of equal size back to back are one record, however many.
START_TEST(joins_runs) {
    struct queue_peak peak = {0};
    for (int64_t i = 0; i < 100000; i++) wait_for(&peak, 0, (struct waiting_run){1 + i * 5, 5, 3, 1});
    ck_assert_uint_eq(peak.count, 0);
    ck_assert_uint_eq(peak.last.chunks, 100000);
    ck_assert_int_eq(peak.peak_bytes, 300000);
    queue_peak_free(&peak);
}
END_TEST

Suite *test_queue_peak_suite(void) {
    Suite *suite = suite_create("queue_peak");
    TCase *tests = tcase_create("queue_peak");
    tcase_add_test(tests, counts_what_has_not_begun);
    tcase_add_test(tests, a_chunk_that_begins_now_does_not_wait);
    tcase_add_test(tests, agrees_with_a_plain_list);
    tcase_add_loop_test(tests, many_are_as_one_by_one, 0, 10);
    tcase_add_test(tests, tells_whether_it_may_rise);
    tcase_add_test(tests, joins_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
