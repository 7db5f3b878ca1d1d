#include "cli/compare_pool.h"

#include <string.h>
#include <sys/wait.h>

#include "cli/progress.h"
#include "pool/pool.h"

/// What the pool's callbacks share.
struct session {
    struct compare_plan *plan;
    struct compare_progress *progress;
    bool show_progress;
};

static void work(void *context, size_t job, FILE *out) {
    const struct session *session = context;
    struct compare_run run;
    compare_simulate(session->plan, job, &run);
    fwrite(&run, sizeof run, 1, out);
}

static void describe_loss(struct compare_run *run, int status) {
    run->state = COMPARE_LOST;
    if (WIFSIGNALED(status))
        snprintf(run->reason, sizeof run->reason, "its worker was ended by signal %d", WTERMSIG(status));
    else
        snprintf(run->reason, sizeof run->reason, "its worker ended with exit code %d", WEXITSTATUS(status));
}

static void finished(void *context, const struct pool_outcome *outcome) {
    struct session *session = context;
    struct compare_plan *plan = session->plan;
    size_t point = plan->job_point[outcome->job];
    struct compare_run *run = &plan->comparison.points[point].runs[outcome->job - plan->first_job[point]];
    if (outcome->lost || outcome->size != sizeof *run)
        describe_loss(run, outcome->wait_status);
    else
        memcpy(run, outcome->data, sizeof *run);
    session->progress->finished++;
    if (session->show_progress) fprintf(stderr, "\r\033[K%zu of %zu runs", session->progress->finished, session->progress->jobs);
}

bool compare_execute(struct compare_plan *plan, struct compare_progress *progress, struct error *err) {
    const struct options *options = plan->options;
    struct session session = {plan, progress, progress_wanted(options)};
    const struct pool_plan pool = {
        .jobs = plan->jobs,
        .workers = options->jobs ? (size_t)options->jobs : pool_cores(),
        .context = &session,
        .work = work,
        .finished = finished,
    };
    progress->jobs += plan->jobs;
    if (progress->signal) return true;
    bool ran = pool_run(&pool, &progress->signal, err);
    if (session.show_progress) fputs("\r\033[K", stderr);
    return ran;
}
