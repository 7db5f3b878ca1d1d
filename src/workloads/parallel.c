// Workloads side by side: all start together, a rank is done when it is done with each.
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/composite.h"

static const struct field fields[] = {
    {"of", FIELD_VARIANTS, offsetof(struct composite_config, of), FIELD_REQUIRED, .min = 1, .family = &workload_family,
     .help = "what is done at the same time"},
    {0},
};

struct parallel_job {
    struct job job;
    struct children children;
    uint32_t *left;             ///< per rank: children it is not done with
    struct round_teller teller; ///< of rounds of all children together
};

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct composite_config *config = untyped;
    return children_accept(&config->of, place, orders, err);
}

static void child_done(void *context, uint32_t rank, int64_t now) {
    struct parallel_job *job = context;
    if (--job->left[rank] == 0) job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

// ---- rounds: all begin anew when one does, and each goes on by as much as it does in the time

static bool round_state(void *context, struct word_list *words) {
    const struct parallel_job *job = context;
    for (size_t i = 0; i < job->children.count; i++) {
        const struct round_teller *rounds = &job->children.jobs[i]->rounds;
        if (!rounds->state(rounds->context, words)) return false;
    }
    return true;
}

/// Of a child it is not known how it stands.
static bool never(void *context, struct word_list *words) {
    (void)context, (void)words;
    return false;
}

static void round_mark(void *context) {
    const struct parallel_job *job = context;
    for (size_t i = 0; i < job->children.count; i++) job->children.jobs[i]->rounds.mark(job->children.jobs[i]->rounds.context);
}

static uint64_t rounds_left(void *context) {
    const struct parallel_job *job = context;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < job->children.count; i++) {
        const struct round_teller *rounds = &job->children.jobs[i]->rounds;
        uint64_t left = rounds->left(rounds->context);
        if (left < least) least = left;
    }
    return least;
}

static void round_skip(void *context, uint64_t times, int64_t ticks) {
    const struct parallel_job *job = context;
    for (size_t i = 0; i < job->children.count; i++) {
        const struct round_teller *rounds = &job->children.jobs[i]->rounds;
        rounds->skip(rounds->context, times, ticks);
    }
}

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct composite_config *config = untyped;
    struct parallel_job *job = allocate_zeroed(1, sizeof *job);
    struct workload_place among = *place;
    among.rounds_of = &job->teller;
    if (place->shared || place->rounds_of) among.fewest_rounds = 0;
    job->children = children_prepare(&config->of, &among, order, outcomes);
    job->teller = (struct round_teller){job, round_state, round_mark, rounds_left, round_skip};
    for (size_t i = 0; i < job->children.count; i++) {
        job->children.jobs[i]->rank_done = (struct done_call){child_done, job};
        if (!job->children.jobs[i]->rounds.state) job->teller.state = never;
    }
    job->left = allocate(place->ranks * sizeof *job->left);
    for (uint32_t r = 0; r < place->ranks; r++) job->left[r] = (uint32_t)job->children.count;
    return &job->job;
}

static const struct plan *make_plan(const void *config, const struct workload_place *place, struct arena *arena) {
    return children_plan(PLAN_PARALLEL, &((const struct composite_config *)config)->of, place, arena);
}

static void start(struct job *untyped, uint32_t rank) {
    struct parallel_job *job = (struct parallel_job *)untyped;
    for (size_t i = 0; i < job->children.count; i++) job->children.jobs[i]->type->start(job->children.jobs[i], rank);
}

static bool repeatable(const void *untyped) { return children_repeatable(&((const struct composite_config *)untyped)->of); }

static void repeat(struct job *job, const struct job *like, int64_t ticks) {
    children_repeat(&((struct parallel_job *)job)->children, &((const struct parallel_job *)like)->children, ticks);
}

static void change_places(struct job *begun, struct job *fresh, int64_t ticks) {
    children_change_places(&((struct parallel_job *)begun)->children, &((struct parallel_job *)fresh)->children, ticks);
}

/// Several may be at work on a rank. Only collectives: others' traffic would hardly ever leave the network to them.
static uint64_t repeats(const void *untyped, bool *overlaps) {
    const struct records *of = &((const struct composite_config *)untyped)->of;
    *overlaps = true;
    return children_repeatable(of) ? children_repeats(of, overlaps) : 1;
}

static bool local(const void *untyped) { return children_local(&((const struct composite_config *)untyped)->of); }

static bool uniform(const void *untyped) { return children_uniform(&((const struct composite_config *)untyped)->of); }
static bool apart(const void *untyped) { return children_apart(&((const struct composite_config *)untyped)->of); }

static void describe(const struct job *job, char *out, size_t out_size) {
    children_describe(&((const struct parallel_job *)job)->children, out, out_size);
}

static void report(const struct job *job, struct figures *figures) {
    children_report(&((const struct parallel_job *)job)->children, figures);
}

static void release(struct job *untyped) {
    struct parallel_job *job = (struct parallel_job *)untyped;
    children_release(&job->children);
    free(job->left);
    free(job);
}

const struct workload_type parallel_workload = {
    .variant = {.name = "parallel", .summary = "workloads side by side", .fields = fields, .config_size = sizeof(struct composite_config)},
    .accepts = accepts,
    .plan = make_plan,
    .prepare = prepare,
    .start = start,
    .repeatable = repeatable,
    .repeat = repeat,
    .change_places = change_places,
    .local = local,
    .repeats = repeats,
    .uniform = uniform,
    .apart = apart,
    .describe = describe,
    .report = report,
    .release = release,
};
