// Workloads one after another: each rank goes on to the next when its own part of the present one is done, or with
// `barrier` when everyone's is. `repeat` runs the whole list several times.
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/composite.h"

#define AT(member) offsetof(struct composite_config, member)
static const struct field fields[] = {
    {"of", FIELD_VARIANTS, AT(of), FIELD_REQUIRED, .min = 1, .family = &workload_family, .help = "what is done, in this order"},
    {"barrier", FIELD_BOOLEAN, AT(barrier), .help = "true: a rank goes on when every rank has ended its part"},
    {"repeat", FIELD_INTEGER, AT(repeat), .fallback = 1, .min = 1, .max = 1000000, .help = "how many times the list is done"},
    {0},
};
#undef AT

/// In a sequence that is repeated itself, what is inside must be repeated so often to be taken for the rounds.
enum { MANY_ROUNDS = 64 };

struct sequence_job {
    struct job job;
    struct communicator *comm;
    struct children children; ///< of all repetitions, in a row
    size_t *at;               ///< per rank: which child it is in
    uint8_t *state;           ///< per rank
    uint32_t ranks, at_barrier;
    uint32_t hosted; ///< ranks that run here
    bool barrier;
    bool tells_rounds; ///< each repetition is a round, where all ranks begin it together
    struct meeting meeting;
    size_t round_children; ///< of a repetition
    size_t round, marked_round;
};

/// A child may be done with a rank while it is being started; the loop in `advance` then goes on, not the recursion.
enum { RANK_WAITING, RANK_STARTING, RANK_DONE_AT_ONCE };

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct composite_config *config = untyped;
    return children_accept(&config->of, place, orders, err);
}

static void child_done(void *context, uint32_t rank, int64_t now);

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct composite_config *config = untyped;
    struct sequence_job *job = allocate_zeroed(1, sizeof *job);
    job->comm = place->comm, job->ranks = place->ranks, job->barrier = config->barrier;
    job->hosted = communicator_hosted(place->comm, NULL, place->ranks);
    job->children.jobs = allocate(config->of.count * (size_t)config->repeat * sizeof *job->children.jobs);
    struct workload_place among = *place;
    among.rounds_of = NULL;
    if (place->rounds_of) among.fewest_rounds = 0;
    if (config->repeat > 1 && among.fewest_rounds > 0) among.fewest_rounds = MANY_ROUNDS;
    for (int64_t i = 0; i < config->repeat; i++) {
        struct children once = children_prepare(&config->of, &among, order, outcomes);
        for (size_t j = 0; j < once.count; j++) job->children.jobs[job->children.count++] = once.jobs[j];
        free(once.jobs);
    }
    for (size_t i = 0; i < job->children.count; i++) job->children.jobs[i]->rank_done = (struct done_call){child_done, job};
    job->tells_rounds = !place->rounds_of && place->fewest_rounds > 0 && (uint64_t)config->repeat >= place->fewest_rounds &&
                        children_repeatable(&config->of);
    job->round_children = config->of.count;
    job->at = allocate_zeroed(place->ranks, sizeof *job->at);
    job->state = allocate_zeroed(place->ranks, sizeof *job->state);
    return &job->job;
}

static const struct plan *make_plan(const void *untyped, const struct workload_place *place, struct arena *arena) {
    const struct composite_config *config = untyped;
    struct plan *plan = children_plan(PLAN_SEQUENCE, &config->of, place, arena);
    if (!plan) return NULL;
    plan->repeat = (uint64_t)config->repeat;
    plan->barrier = config->barrier;
    return plan;
}

// ---- rounds

/// All ranks began repetition `round` now, and none has come further than its starts.
static bool round_state(void *context, struct word_list *words) {
    const struct sequence_job *job = context;
    size_t first = job->round * job->round_children;
    words_add(words, job->at_barrier);
    for (uint32_t rank = 0; rank < job->ranks; rank++) {
        if (job->at[rank] < first || job->at[rank] - first >= job->round_children) return false;
        words_add(words, job->at[rank] - first);
    }
    return true;
}

static void round_mark(void *context) {
    struct sequence_job *job = context;
    job->marked_round = job->round;
}

static size_t rounds_in_all(const struct sequence_job *job) { return job->children.count / job->round_children; }

static uint64_t rounds_left(void *context) {
    const struct sequence_job *job = context;
    size_t last = rounds_in_all(job) - 1 - job->barrier; // who is at the barrier already waits for one that comes
    return last > job->round ? (last - job->round) / (job->round - job->marked_round) : 0;
}

/// What has begun is now that of a later repetition; those left out did as the ones before.
static void round_skip(void *context, uint64_t times, int64_t ticks) {
    struct sequence_job *job = context;
    size_t back = (job->round - job->marked_round) * job->round_children, first = job->round * job->round_children;
    size_t skipped = (size_t)times * back;
    struct job **jobs = job->children.jobs;
    for (size_t i = first; i < first + job->round_children; i++) {
        struct job *begun = jobs[i];
        begun->type->change_places(begun, jobs[i + skipped], (int64_t)times * ticks);
        jobs[i] = jobs[i + skipped], jobs[i + skipped] = begun;
    }
    for (size_t i = first; i < first + skipped; i++) jobs[i]->type->repeat(jobs[i], jobs[i - back], ticks);
    for (uint32_t rank = 0; rank < job->ranks; rank++) job->at[rank] += skipped;
}

static void see_begun(struct sequence_job *job, size_t round) {
    if (meeting_add(&job->meeting, round, communicator_now(job->comm)) < job->ranks || rounds_in_all(job) - round < 2) return;
    job->round = round;
    communicator_begins_round(job->comm, &(struct round_teller){job, round_state, round_mark, rounds_left, round_skip});
}

/// Starts the rank's present child, and those after it that have no part for it.
static void advance(struct sequence_job *job, uint32_t rank, int64_t now) {
    while (job->at[rank] < job->children.count) {
        if (job->tells_rounds && job->at[rank] % job->round_children == 0) see_begun(job, job->at[rank] / job->round_children);
        struct job *child = job->children.jobs[job->at[rank]];
        job->state[rank] = RANK_STARTING;
        child->type->start(child, rank);
        bool at_once = job->state[rank] == RANK_DONE_AT_ONCE;
        job->state[rank] = RANK_WAITING;
        if (!at_once) return;
        job->at[rank]++;
    }
    job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static void go_on(void *context, uint32_t rank, int64_t now) {
    struct sequence_job *job = context;
    job->at[rank]++;
    advance(job, rank, now);
}

/// All ranks that run here go on when the last has come so far.
static void meet(struct sequence_job *job, int64_t now) {
    if (++job->at_barrier < job->hosted) return;
    job->at_barrier = 0;
    for (uint32_t rank = 0; rank < job->ranks; rank++)
        if (communicator_hosts(job->comm, rank)) communicator_timer(job->comm, rank, now, (struct done_call){go_on, job}, rank);
}

static void child_done(void *context, uint32_t rank, int64_t now) {
    struct sequence_job *job = context;
    if (job->barrier && job->at[rank] + 1 < job->children.count) {
        meet(job, now);
    } else if (job->state[rank] == RANK_STARTING) {
        job->state[rank] = RANK_DONE_AT_ONCE;
    } else {
        go_on(job, rank, now);
    }
}

static void start(struct job *untyped, uint32_t rank) {
    struct sequence_job *job = (struct sequence_job *)untyped;
    advance(job, rank, communicator_now(job->comm));
}

static bool repeatable(const void *untyped) { return children_repeatable(&((const struct composite_config *)untyped)->of); }

static void repeat(struct job *job, const struct job *like, int64_t ticks) {
    children_repeat(&((struct sequence_job *)job)->children, &((const struct sequence_job *)like)->children, ticks);
}

static void change_places(struct job *begun, struct job *fresh, int64_t ticks) {
    children_change_places(&((struct sequence_job *)begun)->children, &((struct sequence_job *)fresh)->children, ticks);
}

static bool local(const void *untyped) {
    const struct composite_config *config = untyped;
    return !config->barrier && children_local(&config->of);
}

static bool apart(const void *untyped) {
    const struct composite_config *config = untyped;
    return !config->barrier && children_apart(&config->of);
}

static uint64_t repeats(const void *untyped, bool *overlaps) {
    const struct composite_config *config = untyped;
    return (uint64_t)config->repeat * children_repeats(&config->of, overlaps);
}
static bool uniform(const void *untyped) { return children_uniform(&((const struct composite_config *)untyped)->of); }

static void describe(const struct job *job, char *out, size_t out_size) {
    children_describe(&((const struct sequence_job *)job)->children, out, out_size);
}

static void report(const struct job *job, struct figures *figures) {
    children_report(&((const struct sequence_job *)job)->children, figures);
}

static void release(struct job *untyped) {
    struct sequence_job *job = (struct sequence_job *)untyped;
    children_release(&job->children);
    free(job->at);
    free(job->state);
    free(job);
}

const struct workload_type sequence_workload = {
    .variant = {.name = "sequence",
                .summary = "workloads one after another",
                .fields = fields,
                .config_size = sizeof(struct composite_config)},
    .accepts = accepts,
    .plan = make_plan,
    .prepare = prepare,
    .start = start,
    .repeatable = repeatable,
    .repeat = repeat,
    .change_places = change_places,
    .local = local,
    .apart = apart,
    .repeats = repeats,
    .uniform = uniform,
    .describe = describe,
    .report = report,
    .release = release,
};
