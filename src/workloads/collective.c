// One collective operation: resolves the algorithm and its arguments, places a sub-group, starts late ranks late,
// and repeats it, each repetition a collective of its own.
#include "workloads/collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workloads/workload.h"

enum { SYNC_FREE, SYNC_STEP };
enum { NOT_A_MEMBER = UINT32_MAX };

static const char *const sync_names[] = {"free", "step", NULL};
static const char *const schedule_names[] = {"steps", "all-at-once", NULL};
static const char *const order_names[] = {"rank", "shift", NULL};

#define AT(member) offsetof(struct collective_config, member)
static const struct field fields[] = {
    {"collective", FIELD_CHOICE, AT(collective), FIELD_REQUIRED, .choices = collective_names, .help = "what the ranks end with",
     .example = "\"all-reduce\""},
    {"algorithm", FIELD_TEXT, AT(algorithm), .help = "how; the default depends on the collective", .example = "\"ring\""},
    {"size", FIELD_BYTES, AT(bytes), .help = "bytes of the whole vector; all-to-all: what one rank holds", .example = "\"64MB\""},
    {"sync", FIELD_CHOICE, AT(sync), .choices = sync_names,
     .help = "free: a rank goes on when its own receives are in; step: when all ranks have ended the step"},
    {"root", FIELD_INTEGER, AT(root), .max = INT32_MAX, .help = "the rank that broadcast, scatter, reduce and gather start from or end at"},
    {"from", FIELD_INTEGER, AT(from), .max = INT32_MAX, .help = "send: the sending rank"},
    {"to", FIELD_INTEGER, AT(to), .max = INT32_MAX, .help = "send: the receiving rank"},
    {"pieces", FIELD_INTEGER, AT(pieces), .min = 1, .max = INT32_MAX, .help = "pieces that a pipelined algorithm cuts the vector into",
     .example = "32"},
    {"schedule", FIELD_CHOICE, AT(schedule), .choices = schedule_names,
     .help = "all-to-all direct: one peer a step, or all sends posted at once"},
    {"order", FIELD_CHOICE, AT(order), .choices = order_names, .help = "all-to-all direct: peers by rank, or by shifts of the torus"},
    {"ranks", FIELD_INTEGERS, AT(ranks), .max = INT32_MAX, .help = "a sub-group, in its own order", .example = "[0, 2, 4, 6]"},
    {"start", FIELD_TIMES, AT(start), .help = "ranks that start late", .example = "{\"3\": \"5ms\"}"},
    {"repeat", FIELD_INTEGER, AT(repeat), .fallback = 1, .min = 1, .max = 1000000000, .help = "how many times in a row"},
    {0},
};
#undef AT

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
    struct collective_outcome *outcome;
};

static const struct algorithm *find_algorithm(const struct collective_config *config) {
    enum collective_kind kind = (enum collective_kind)config->collective;
    return config->algorithm ? algorithm_find(kind, config->algorithm) : algorithm_default(kind);
}

static bool uses_option(const struct algorithm *algorithm, const char *name) {
    for (const char *const *option = algorithm->options; option && *option; option++)
        if (!strcmp(*option, name)) return true;
    return false;
}

/// A key that this collective or algorithm would ignore is a mistake.
static bool check_options(const struct collective_config *config, const struct algorithm *algorithm, struct error *err) {
    static const char *const optional[] = {"pieces", "schedule", "order", NULL};
    for (const char *const *name = optional; *name; name++)
        if (field_given(fields, config, *name) && !uses_option(algorithm, *name))
            return error_at(err, *name, "%s/%s has no %s", collective_names[algorithm->kind], algorithm->name, *name);
    static const struct {
        const char *key;
        unsigned kinds;
        const char *what;
    } of_kinds[] = {
        {"root", 1u << BROADCAST | 1u << REDUCE | 1u << SCATTER | 1u << GATHER, "broadcast, reduce, scatter and gather have"},
        {"from", 1u << SEND, "send has"},
        {"to", 1u << SEND, "send has"},
        {"size", ~(1u << BARRIER), "a barrier has no size; all others have"},
    };
    for (size_t i = 0; i < sizeof of_kinds / sizeof *of_kinds; i++)
        if (field_given(fields, config, of_kinds[i].key) && !(of_kinds[i].kinds >> algorithm->kind & 1))
            return error_at(err, of_kinds[i].key, "%s has no %s (only %s)", collective_names[algorithm->kind], of_kinds[i].key,
                            of_kinds[i].what);
    return true;
}

static bool check(const void *untyped, struct error *err) {
    const struct collective_config *config = untyped;
    const char *name = collective_names[config->collective];
    const struct algorithm *algorithm = find_algorithm(config);
    if (!algorithm) {
        char known[512] = "";
        for (const struct algorithm *const *a = algorithms; *a; a++)
            if ((*a)->kind == (enum collective_kind)config->collective && strlen(known) + strlen((*a)->name) + 3 < sizeof known)
                strcat(strcat(known, *known ? ", " : ""), (*a)->name);
        return error_at(err, "algorithm", "%s has no algorithm \"%s\"; it has %s", name, config->algorithm, known);
    }
    if (!field_given(fields, config, "size") && config->collective != BARRIER)
        return error_at(err, "", "%s needs \"size\" (\"64MB\")", name);
    if (config->collective == SEND && (!field_given(fields, config, "from") || !field_given(fields, config, "to")))
        return error_at(err, "", "send needs \"from\" and \"to\"");
    return check_options(config, algorithm, err);
}

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
    if (!field_given(fields, config, key) || value < size) return true;
    return error_at(err, key, "there is no rank %lld in this collective; its ranks are 0 to %u", (long long)value, size - 1);
}

static struct collective_args make_args(const struct collective_config *config, const struct workload_place *place) {
    struct collective_args args = {
        .kind = (enum collective_kind)config->collective,
        .size = config->ranks.count ? (uint32_t)config->ranks.count : place->ranks,
        .bytes = config->bytes,
        .root = (uint32_t)config->root,
        .from = (uint32_t)config->from,
        .to = (uint32_t)config->to,
        .pieces = (uint32_t)config->pieces,
        .schedule = (enum schedule)config->schedule,
        .order = (enum order)config->order,
        .group_size = place->group_size,
    };
    uint64_t product = place->dim_count > 0;
    for (uint32_t i = 0; i < place->dim_count; i++) product *= place->dims[i];
    if (product == args.size) {
        args.dim_count = place->dim_count;
        memcpy(args.dims, place->dims, sizeof args.dims);
    }
    return args;
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

/// An in-network reduction needs switches that all its ranks share.
static bool check_tree(const struct algorithm *algorithm, const struct collective_config *config, const struct workload_place *place,
                       struct error *err) {
    if (!algorithm->in_network) return true;
    size_t count = config->ranks.count;
    uint32_t *ranks = count ? allocate(count * sizeof *ranks) : NULL;
    for (size_t i = 0; i < count; i++) ranks[i] = (uint32_t)config->ranks.values[i];
    struct reduction_tree tree = {0};
    bool found = place->trees && place->trees->find(place->trees->context, ranks, count ? (uint32_t)count : place->ranks, &tree);
    free(tree.nodes);
    free(tree.members);
    free(ranks);
    return found || error_at(err, "algorithm",
                             "all-reduce/%s needs a tree of switches that all its ranks share, and this network has none; "
                             "all-reduce/ring runs on any network",
                             algorithm->name);
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct collective_config *config = untyped;
    const struct algorithm *algorithm = find_algorithm(config);
    uint32_t *members;
    if (!find_members(config, place->ranks, &members, err)) return false;
    const struct collective_args args = make_args(config, place);
    bool ok = check_start(config, members, place->ranks, err) && member_key(config, "root", config->root, args.size, err) &&
              member_key(config, "from", config->from, args.size, err) && member_key(config, "to", config->to, args.size, err) &&
              (!algorithm->accepts || algorithm->accepts(&args, err)) && check_tree(algorithm, config, place, err);
    free(members);
    if (ok) *orders = algorithm_machines(algorithm, &args);
    return ok;
}

static const struct plan *make_plan(const void *untyped, const struct workload_place *place, struct arena *arena) {
    const struct collective_config *config = untyped;
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    *plan = (struct plan){.kind = PLAN_COLLECTIVE,
                          .repeat = (uint64_t)config->repeat,
                          .algorithm = find_algorithm(config),
                          .args = make_args(config, place),
                          .step_sync = config->sync == SYNC_STEP};
    if (config->ranks.count == 0) return plan;
    uint32_t *ranks = arena_allocate(arena, config->ranks.count * sizeof *ranks);
    for (size_t i = 0; i < config->ranks.count; i++) ranks[i] = (uint32_t)config->ranks.values[i];
    plan->ranks = ranks;
    return plan;
}

static void rank_done(void *context, uint32_t member, int64_t now);

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct collective_config *config = untyped;
    struct collective_job *job = allocate_zeroed(1, sizeof *job);
    job->comm = place->comm;
    struct error none = {0};
    if (!find_members(config, place->ranks, &job->members, &none)) fatal("a group was not checked: %s", none.text);
    struct collective_args args = make_args(config, place);
    if (config->ranks.count) {
        job->ranks = allocate(args.size * sizeof *job->ranks);
        for (uint32_t i = 0; i < args.size; i++) job->ranks[i] = (uint32_t)config->ranks.values[i];
    }
    const struct rank_time *late = config->start.items;
    if (config->start.count) job->delays = allocate_zeroed(args.size, sizeof *job->delays);
    for (size_t i = 0; i < config->start.count; i++) job->delays[job->members ? job->members[late[i].rank] : late[i].rank] = late[i].ticks;
    job->iteration = allocate_zeroed(args.size, sizeof *job->iteration);
    job->open_ids = allocate_zeroed((size_t)config->repeat, sizeof *job->open_ids);
    job->ended = allocate_zeroed((size_t)config->repeat, sizeof *job->ended);
    job->request = (struct collective_request){.algorithm = find_algorithm(config),
                                               .args = args,
                                               .ranks = job->ranks,
                                               .order = order,
                                               .step_sync = config->sync == SYNC_STEP,
                                               .done = {rank_done, job}};
    job->outcome = allocate_zeroed(1, sizeof *job->outcome);
    *job->outcome = (struct collective_outcome){.algorithm = job->request.algorithm,
                                                .args = args,
                                                .ranks = job->ranks,
                                                .start_ticks = -1,
                                                .repeat = (uint32_t)config->repeat,
                                                .rank_end_ticks = allocate(args.size * sizeof *job->outcome->rank_end_ticks)};
    for (uint32_t i = 0; i < args.size; i++) job->outcome->rank_end_ticks[i] = -1;
    ARRAY_RESERVE(outcomes->items, outcomes->capacity, outcomes->count + 1);
    outcomes->items[outcomes->count++] = job->outcome;
    return &job->job;
}

/// The member begins its next repetition, which the first of them opens.
static void begin(struct collective_job *job, uint32_t member) {
    uint32_t iteration = job->iteration[member];
    if (!job->open_ids[iteration]) job->open_ids[iteration] = communicator_open(job->comm, &job->request) + 1;
    int64_t delay = job->delays && iteration == 0 ? job->delays[member] : 0;
    communicator_start(job->comm, job->open_ids[iteration] - 1, member, delay);
}

static void rank_done(void *context, uint32_t member, int64_t now) {
    struct collective_job *job = context;
    uint32_t iteration = job->iteration[member]++;
    if (++job->ended[iteration] == job->request.args.size) communicator_close(job->comm, job->open_ids[iteration] - 1);
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
    if (job->outcome->start_ticks < 0) job->outcome->start_ticks = now;
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
                .fields = fields,
                .config_size = sizeof(struct collective_config),
                .check = check},
    .accepts = accepts,
    .plan = make_plan,
    .prepare = prepare,
    .start = start,
    .release = release,
};
