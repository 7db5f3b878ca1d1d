// One collective operation: places a sub-group, starts late ranks late, and repeats it, each repetition a collective of
// its own.
#include "workloads/collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NOT_A_MEMBER = UINT32_MAX };

struct collective_job {
    struct job job;
    struct communicator *comm;
    struct collective_request request;
    uint32_t *ranks;     ///< member -> rank; NULL: the same
    uint32_t *members;   ///< rank -> member; NULL: the same
    int64_t *delays;     ///< per member; NULL: nobody is late
    uint32_t *iteration; ///< per member: how many repetitions it has ended
    uint32_t *open_ids;  ///< per repetition: the communicator's id + 1; 0: not opened yet
    uint32_t *ended;     ///< per repetition: members that have ended it
    uint32_t hosted;     ///< members that run here
    struct collective_outcome *outcome;
    bool tells_rounds; ///< each repetition is a round
    uint32_t begun;    ///< members
    const struct round_teller *teller;
    uint32_t round, marked_round; ///< repetitions of member 0
};

/// The member of each rank of the sub-group; NULL where the group is everybody in order. False with an error.
static bool find_members(const struct collective_config *config, uint32_t ranks, uint32_t **members, struct error *err) {
    *members = NULL;
    if (config->ranks.count == 0) return true;
    uint32_t *found = allocate(ranks * sizeof *found);
    memset(found, 0xff, ranks * sizeof *found);
    for (size_t i = 0; i < config->ranks.count; i++) {
        int64_t rank = config->ranks.values[i];
        char where[32];
        snprintf(where, sizeof where, "ranks/%zu", i);
        bool known = rank < ranks;
        if (!known || found[rank] != NOT_A_MEMBER) {
            free(found);
            return known ? error_at(err, where, "rank %lld stands in the group twice", (long long)rank)
                         : error_at(err, where, "there is no rank %lld; ranks are 0 to %u", (long long)rank, ranks - 1);
        }
        found[rank] = (uint32_t)i;
    }
    *members = found;
    return true;
}

static bool member_key(const struct collective_config *config, const char *key, int64_t value, uint32_t size, struct error *err) {
    if (!field_given(collective_fields, config, key) || value < size) return true;
    return error_at(err, key, "there is no rank %lld in this collective; its ranks are 0 to %u", (long long)value, size - 1);
}

static bool check_start(const struct collective_config *config, const uint32_t *members, uint32_t ranks, struct error *err) {
    const struct rank_time *late = config->start.items;
    for (size_t i = 0; i < config->start.count; i++) {
        char where[40];
        snprintf(where, sizeof where, "start/%lld", (long long)late[i].rank);
        if (late[i].rank >= ranks)
            return error_at(err, where, "there is no rank %lld; ranks are 0 to %u", (long long)late[i].rank, ranks - 1);
        if (members && members[late[i].rank] == NOT_A_MEMBER)
            return error_at(err, where, "rank %lld takes no part in this collective", (long long)late[i].rank);
    }
    return true;
}

static struct collective_request make_request(const struct collective_config *config, const struct workload_place *place,
                                              const uint32_t *ranks) {
    const struct collective_args args = collective_args_of(config, place);
    return (struct collective_request){.algorithm = collective_algorithm(config),
                                       .args = args,
                                       .ranks = ranks,
                                       .step_sync = config->sync == SYNC_STEP,
                                       .unmatched = args.custom && !args.custom->checked};
}

/// Auto becomes the algorithm that is taken; before any run the default stands in for it.
static void choose(const struct collective_config *config, const struct workload_place *place, struct collective_request *request,
                   struct choice *choice) {
    *choice = (struct choice){0};
    if (!collective_is_auto(config) || !place->chooser) return;
    place->chooser->choose(place->chooser->context, request, choice);
    if (choice->algorithm) request->algorithm = choice->algorithm;
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct collective_config *config = untyped;
    uint32_t *members;
    if (!find_members(config, place->ranks, &members, err)) return false;
    uint32_t *ranks = collective_ranks(config);
    struct collective_request request = make_request(config, place, ranks);
    struct choice choice;
    bool ok = check_start(config, members, place->ranks, err) && member_key(config, "root", config->root, request.args.size, err) &&
              member_key(config, "from", config->from, request.args.size, err) &&
              member_key(config, "to", config->to, request.args.size, err) && collective_accepts_matrix(config, request.args.size, err);
    if (ok) choose(config, place, &request, &choice);
    ok = ok && collective_possible(request.algorithm, &request.args, ranks, place, err);
    if (ok) *orders = algorithm_machines(request.algorithm, &request.args);
    free(members);
    free(ranks);
    return ok;
}

static const struct plan *make_plan(const void *untyped, const struct workload_place *place, struct arena *arena) {
    const struct collective_config *config = untyped;
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    uint32_t *ranks = config->ranks.count ? arena_allocate(arena, config->ranks.count * sizeof *ranks) : NULL;
    for (size_t i = 0; i < config->ranks.count; i++) ranks[i] = (uint32_t)config->ranks.values[i];
    struct collective_request request = make_request(config, place, ranks);
    choose(config, place, &request, &plan->choice);
    plan->kind = PLAN_COLLECTIVE;
    plan->repeat = (uint64_t)config->repeat;
    plan->algorithm = request.algorithm;
    plan->args = request.args;
    plan->ranks = ranks;
    plan->step_sync = request.step_sync;
    return plan;
}

static void rank_done(void *context, uint32_t member, int64_t now);

static bool local(const void *untyped) {
    const struct collective_config *config = untyped;
    const struct algorithm *algorithm = collective_algorithm(config);
    // what auto chooses may be in-network
    return config->sync == SYNC_FREE && algorithm && !algorithm->in_network && !collective_is_auto(config);
}

static uint64_t repeats(const void *config, bool *overlaps) {
    (void)overlaps;
    return (uint64_t)((const struct collective_config *)config)->repeat;
}

static bool uniform(const void *untyped) {
    const struct collective_config *config = untyped;
    return config->ranks.count == 0 && config->start.count == 0;
}

// ---- rounds: each repetition that member 0 begins

/// The repetitions that members are in.
static struct iterations { uint32_t first, last; } iterations_of(const struct collective_job *job) {
    struct iterations in = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < job->request.args.size; i++) {
        if (job->iteration[i] < in.first) in.first = job->iteration[i];
        if (job->iteration[i] > in.last) in.last = job->iteration[i];
    }
    return in;
}

static bool round_state(void *context, struct word_list *words) {
    struct collective_job *job = context;
    const struct iterations in = iterations_of(job);
    job->round = job->iteration[0];
    words_add(words, in.first >= job->outcome->repeat); // over, and beside others nothing more happens
    if (in.first >= job->outcome->repeat) return true;
    if (job->begun < job->request.args.size || in.last >= job->outcome->repeat) return false;
    for (uint32_t i = 0; i < job->request.args.size; i++) words_add(words, job->iteration[i] - job->round);
    for (uint32_t k = in.first; k <= in.last; k++) {
        words_add(words, job->ended[k]);
        communicator_add_collective(job->comm, job->open_ids[k] - 1, words);
    }
    return true;
}

static void round_mark(void *context) {
    struct collective_job *job = context;
    job->marked_round = job->round;
}

static uint64_t rounds_left(void *context) {
    const struct collective_job *job = context;
    uint32_t each = job->round - job->marked_round;
    return each > 0 ? (job->outcome->repeat - 1 - iterations_of(job).last) / each : UINT64_MAX;
}

static void round_skip(void *context, uint64_t times, int64_t ticks) {
    struct collective_job *job = context;
    const struct iterations in = iterations_of(job);
    uint32_t skipped = (uint32_t)times * (job->round - job->marked_round);
    (void)ticks;
    if (skipped == 0) return;
    for (uint32_t k = in.last + 1; k-- > in.first;) {
        job->open_ids[k + skipped] = job->open_ids[k];
        job->ended[k + skipped] = job->ended[k];
    }
    for (uint32_t i = 0; i < job->request.args.size; i++) job->iteration[i] += skipped;
}

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct collective_config *config = untyped;
    struct collective_job *job = allocate_zeroed(1, sizeof *job);
    job->comm = place->comm;
    struct error none = {0};
    if (!find_members(config, place->ranks, &job->members, &none)) fatal("a group was not checked: %s", none.text);
    job->ranks = collective_ranks(config);
    job->request = make_request(config, place, job->ranks);
    job->request.order = order;
    job->request.done = (struct done_call){rank_done, job};
    const struct collective_args args = job->request.args;
    struct choice choice;
    choose(config, place, &job->request, &choice);
    const struct rank_time *late = config->start.items;
    if (config->start.count) job->delays = allocate_zeroed(args.size, sizeof *job->delays);
    for (size_t i = 0; i < config->start.count; i++) job->delays[job->members ? job->members[late[i].rank] : late[i].rank] = late[i].ticks;
    job->iteration = allocate_zeroed(args.size, sizeof *job->iteration);
    job->open_ids = allocate_zeroed((size_t)config->repeat, sizeof *job->open_ids);
    job->ended = allocate_zeroed((size_t)config->repeat, sizeof *job->ended);
    job->hosted = communicator_hosted(job->comm, job->ranks, args.size);
    job->outcome = allocate_zeroed(1, sizeof *job->outcome);
    *job->outcome = (struct collective_outcome){.algorithm = job->request.algorithm,
                                                .args = args,
                                                .ranks = job->ranks,
                                                .choice = choice,
                                                .start_ticks = -1,
                                                .repeat = (uint32_t)config->repeat,
                                                .rank_end_ticks = allocate(args.size * sizeof *job->outcome->rank_end_ticks)};
    for (uint32_t i = 0; i < args.size; i++) job->outcome->rank_end_ticks[i] = -1;
    job->job.rounds = (struct round_teller){job, round_state, round_mark, rounds_left, round_skip};
    job->teller = place->rounds_of ? place->rounds_of : &job->job.rounds;
    bool alone = place->rounds_of || args.size == place->ranks;
    job->tells_rounds = alone && place->fewest_rounds > 0 && (uint64_t)config->repeat >= place->fewest_rounds;
    ARRAY_RESERVE(outcomes->items, outcomes->capacity, outcomes->count + 1);
    outcomes->items[outcomes->count++] = job->outcome;
    return &job->job;
}

static void see_round(struct collective_job *job) {
    if (job->outcome->repeat - job->iteration[0] >= 2) communicator_begins_round(job->comm, job->teller);
}

static void repeat(struct job *untyped, const struct job *like, int64_t ticks) {
    const struct collective_outcome *from = ((const struct collective_job *)like)->outcome;
    struct collective_outcome *outcome = ((struct collective_job *)untyped)->outcome;
    outcome->start_ticks = from->start_ticks + ticks, outcome->end_ticks = from->end_ticks + ticks;
    for (uint32_t i = 0; i < outcome->args.size; i++) outcome->rank_end_ticks[i] = from->rank_end_ticks[i] + ticks;
}

static bool repeatable(const void *config) {
    (void)config;
    return true;
}

static void change_places(struct job *untyped, struct job *other, int64_t ticks) {
    struct collective_job *begun = (struct collective_job *)untyped, *fresh = (struct collective_job *)other;
    struct collective_outcome *outcome = fresh->outcome;
    if (begun->outcome->start_ticks >= 0) outcome->start_ticks = begun->outcome->start_ticks + ticks;
    fresh->outcome = begun->outcome;
    begun->outcome = outcome;
}

/// The member begins its next repetition, which the first of them opens.
static void begin(struct collective_job *job, uint32_t member) {
    uint32_t iteration = job->iteration[member];
    if (job->tells_rounds && member == 0) see_round(job);
    if (!job->open_ids[iteration]) job->open_ids[iteration] = communicator_open(job->comm, &job->request) + 1;
    int64_t delay = job->delays && iteration == 0 ? job->delays[member] : 0;
    communicator_start(job->comm, job->open_ids[iteration] - 1, member, delay);
}

static void rank_done(void *context, uint32_t member, int64_t now) {
    struct collective_job *job = context;
    uint32_t iteration = job->iteration[member]++;
    if (++job->ended[iteration] == job->hosted) communicator_close(job->comm, job->open_ids[iteration] - 1);
    if (iteration + 1 < job->outcome->repeat) {
        begin(job, member);
        return;
    }
    job->outcome->rank_end_ticks[member] = now;
    if (now > job->outcome->end_ticks) job->outcome->end_ticks = now;
    job->job.rank_done.call(job->job.rank_done.context, job->ranks ? job->ranks[member] : member, now);
}

static void start(struct job *untyped, uint32_t rank) {
    struct collective_job *job = (struct collective_job *)untyped;
    uint32_t member = job->members ? job->members[rank] : rank;
    int64_t now = communicator_now(job->comm);
    if (member == NOT_A_MEMBER) {
        job->job.rank_done.call(job->job.rank_done.context, rank, now);
        return;
    }
    if (job->outcome->start_ticks < 0 || now < job->outcome->start_ticks) job->outcome->start_ticks = now;
    job->begun++;
    begin(job, member);
}

static void release(struct job *untyped) {
    struct collective_job *job = (struct collective_job *)untyped;
    free(job->members);
    free(job->delays);
    free(job->iteration);
    free(job->open_ids);
    free(job->ended);
    free(job->ranks);
    free(job);
}

const struct workload_type collective_workload = {
    .variant = {.name = "collective",
                .summary = "one collective operation",
                .fields = collective_fields,
                .config_size = sizeof(struct collective_config),
                .check = collective_check},
    .accepts = accepts,
    .plan = make_plan,
    .prepare = prepare,
    .start = start,
    .repeatable = repeatable,
    .repeat = repeat,
    .change_places = change_places,
    .local = local,
    .apart = local,
    .repeats = repeats,
    .uniform = uniform,
    .release = release,
};
