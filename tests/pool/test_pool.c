#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pool/pool.h"

enum { JOBS = 40, BIG = 300000 };

/// What came back, per job.
struct seen {
    int times[JOBS], lost[JOBS], status[JOBS];
    size_t size[JOBS];
    long value[JOBS];
    size_t total;
};

static void keep(void *context, const struct pool_outcome *outcome) {
    struct seen *seen = context;
    size_t job = outcome->job;
    seen->times[job]++;
    seen->total++;
    seen->lost[job] = outcome->lost;
    seen->status[job] = outcome->wait_status;
    seen->size[job] = outcome->size;
    if (!outcome->lost && outcome->size >= sizeof(long)) memcpy(&seen->value[job], outcome->data, sizeof(long));
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static void square(void *context, size_t job, FILE *out) {
    long value = (long)(job * job);
    (void)context;
    fwrite(&value, sizeof value, 1, out);
}

static void check_no_children(void) {
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

static void run(void (*work)(void *, size_t, FILE *), size_t jobs, unsigned workers, struct seen *seen) {
    struct error err = {0};
    int stopped_by = -1;
    const struct pool_plan plan = {.jobs = jobs, .workers = workers, .context = seen, .work = work, .finished = keep};
    *seen = (struct seen){0};
    ck_assert_msg(pool_run(&plan, &stopped_by, &err), "%s", err.text);
    ck_assert_int_eq(stopped_by, 0);
    check_no_children();
}

START_TEST(every_job_is_done_once) {
    static const unsigned workers[] = {1, 2, 7, 64}; // also more workers than jobs
    struct seen seen;
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        run(square, JOBS, workers[i], &seen);
        for (size_t job = 0; job < JOBS; job++) {
            ck_assert_int_eq(seen.times[job], 1);
            ck_assert_int_eq(seen.value[job], (long)(job * job));
        }
    }
    run(square, 0, 3, &seen);
    ck_assert_uint_eq(seen.total, 0);
}
END_TEST

/// Job 3 is killed, job 5 exits, job 11 has nothing to say, job 12 much.
static void mishaps(void *context, size_t job, FILE *out) {
    if (job == 3) raise(SIGKILL);
    if (job == 5) _exit(9);
    if (job == 11) return;
    if (job == 12)
        for (int i = 0; i < BIG; i++) fputc('x', out);
    else
        square(context, job, out);
}

START_TEST(a_dead_worker_costs_its_own_job) {
    struct seen seen;
    for (unsigned workers = 1; workers <= 3; workers++) {
        run(mishaps, JOBS, workers, &seen);
        ck_assert_uint_eq(seen.total, JOBS);
        for (size_t job = 0; job < JOBS; job++) {
            ck_assert_int_eq(seen.times[job], 1);
            ck_assert_int_eq(seen.lost[job], job == 3 || job == 5);
            if (job > 12) ck_assert_int_eq(seen.value[job], (long)(job * job));
        }
        ck_assert(WIFSIGNALED(seen.status[3]) && WTERMSIG(seen.status[3]) == SIGKILL);
        ck_assert(WIFEXITED(seen.status[5]) && WEXITSTATUS(seen.status[5]) == 9);
        ck_assert_uint_eq(seen.size[11], 0);
        ck_assert_uint_eq(seen.size[12], BIG);
    }
}
END_TEST

/// Job 2 interrupts the pool, as a terminal would; the jobs after it would take for ever.
static void interrupting(void *context, size_t job, FILE *out) {
    if (job == 2) kill(getppid(), SIGINT);
    if (job >= 2) pause_ms(60000);
    square(context, job, out);
}

START_TEST(a_signal_stops_all_workers) {
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct seen seen = {0};
        struct error err = {0};
        int stopped_by = 0;
        time_t start = time(NULL);
        const struct pool_plan plan = {.jobs = JOBS, .workers = workers, .context = &seen, .work = interrupting, .finished = keep};
        ck_assert(pool_run(&plan, &stopped_by, &err));
        ck_assert_int_eq(stopped_by, SIGINT);
        if (workers == 1) ck_assert_uint_eq(seen.total, 2); // else job 2 may be faster than 0 and 1
        for (size_t job = 2; job < JOBS; job++) ck_assert_int_eq(seen.times[job], 0);
        ck_assert_int_lt(time(NULL) - start, 30);
        check_no_children();
    }
}
END_TEST

Suite *test_pool_suite(void);
Suite *test_pool_suite(void) {
    Suite *suite = suite_create("pool");
    TCase *all = tcase_create("pool");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, every_job_is_done_once);
    tcase_add_test(all, a_dead_worker_costs_its_own_job);
    tcase_add_test(all, a_signal_stops_all_workers);
    suite_add_tcase(suite, all);
    return suite;
}
