#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/barrier.h"
#include "base/memory.h"

enum { ROUNDS = 2000 };

/// What each of several threads has counted so far; all read all of them after each round.
struct count {
    struct barrier *barrier;
    uint32_t *counts, parties, me;
    bool even;
};

static void *count_rounds(void *context) {
    struct count *count = context;
    uint32_t patience = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        count->counts[count->me]++;
        barrier_wait(count->barrier, &patience);
        for (uint32_t i = 0; i < count->parties; i++) count->even = count->even && count->counts[i] == round + 1;
        barrier_wait(count->barrier, &patience);
    }
    return NULL;
}

// _i threads, more than there are cores too: nobody goes on before all have come, and what they did is seen.
START_TEST(nobody_runs_ahead) {
    uint32_t parties = (uint32_t)_i;
    struct barrier barrier;
    barrier_init(&barrier, parties);
    uint32_t *counts = allocate_zeroed(parties, sizeof *counts);
    struct count *each = allocate(parties * sizeof *each);
    pthread_t *threads = allocate(parties * sizeof *threads);
    for (uint32_t i = 0; i < parties; i++) {
        each[i] = (struct count){&barrier, counts, parties, i, true};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, count_rounds, &each[i]), 0);
    }
    for (uint32_t i = 0; i < parties; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(each[i].even);
        ck_assert_uint_eq(counts[i], ROUNDS);
    }
    barrier_free(&barrier);
    free(counts);
    free(each);
    free(threads);
}
END_TEST

Suite *test_barrier_suite(void);
Suite *test_barrier_suite(void) {
    Suite *suite = suite_create("barrier");
    TCase *tests = tcase_create("barrier");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, nobody_runs_ahead, 1, 9);
    suite_add_tcase(suite, tests);
    return suite;
}
