#define _DEFAULT_SOURCE // getloadavg
#include "scenario/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/shards.h"

/// One thread: its ranks, their jobs, their shard of the network.
struct member {
    struct team *team;
    pthread_t thread;
    uint32_t number;
    uint8_t *hosted; ///< per rank
    struct communicator *comm;
    struct job *job;
    struct outcomes outcomes;
    uint32_t ranks_left;
    struct error error;
};

enum gate { GATE_SHUT, GATE_OPEN, GATE_GIVEN_UP };

struct team {
    const struct experiment *experiment;
    struct run_limits limits; ///< those of the run, whose progress one thread asks at a time
    const struct run_limits *asked;
    struct shards *shards;
    struct communicator_group *group;
    struct member *members;
    uint32_t count;
    pthread_mutex_t mutex;
    pthread_cond_t gate_moved;
    enum gate gate;
    int64_t told_ticks; ///< how far the run was said to have come
    uint64_t told_hops;
};

static const struct workload_type *type_of(const struct experiment *experiment) { return workload_type(&experiment->scenario->workload); }

// ---- whether

/// Counts what a plan posts, up to `most`.
struct counter {
    uint64_t most;
    bool chunks;         ///< of all messages; else messages of collectives
    int64_t chunk_bytes; ///< 0: a message is one
    struct step step;    ///< scratch
};

static uint64_t count_message(const struct counter *counter, int64_t bytes) {
    return counter->chunks && counter->chunk_bytes > 0 ? 1 + (uint64_t)(bytes / counter->chunk_bytes) : 1;
}

static uint64_t count_machine(const struct plan *plan, uint32_t machine, uint32_t member, struct counter *counter, uint64_t count) {
    const struct collective_args *args = &plan->args;
    const struct view view = view_all(member, args->size);
    struct step *step = &counter->step;
    uint64_t steps = plan->algorithm->steps(args, machine), k = algorithm_next_step(plan->algorithm, args, &view, machine, 0);
    for (; k < steps && count < counter->most; k = algorithm_next_step(plan->algorithm, args, &view, machine, k + 1)) {
        step->count = 0;
        plan->algorithm->step(args, &view, machine, k, step);
        for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined)
            if (step->operations[i].is_send) count += count_message(counter, operation_bytes(&step->operations[i]));
    }
    return count;
}

static uint64_t count_collective(const struct plan *plan, struct counter *counter) {
    uint64_t count = 0;
    for (uint32_t machine = algorithm_machines(plan->algorithm, &plan->args); machine-- > 0;)
        for (uint32_t member = 0; member < plan->args.size && count < counter->most; member++)
            count = count_machine(plan, machine, member, counter, count);
    return count;
}

static uint64_t count_posts(const struct plan *plan, struct counter *counter) {
    uint64_t count = 0;
    for (size_t i = 0; plan->items && i < plan->count && count < counter->most; i++) count += count_posts(plan->items[i], counter);
    for (size_t i = 0; plan->kind == PLAN_MESSAGES && counter->chunks && i < plan->count && count < counter->most; i++)
        count += count_message(counter, plan->messages[i].bytes);
    if (plan->kind == PLAN_COLLECTIVE) count = count_collective(plan, counter);
    return count > 0 && plan->repeat > counter->most / count ? counter->most : count * plan->repeat;
}

/// Whether the proof would follow the run to its end: not above so many messages, and not where there is nothing to prove.
static bool proof_follows(const struct plan *plan, enum proof_choice choice) {
    if (choice == PROOF_CHOICE_OFF) return false;
    if (choice == PROOF_CHOICE_ON || !plan) return !plan || plan_collectives(plan) > 0;
    struct counter counter = {.most = PROOF_AUTO_MESSAGES + 1};
    uint64_t count = count_posts(plan, &counter);
    pages_free(counter.step.operations);
    return plan_collectives(plan) > 0 && count <= PROOF_AUTO_MESSAGES;
}

/// Why several threads cannot run it; NULL: they can.
static const char *obstacle(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits, bool watched) {
    const struct workload_type *type = type_of(experiment);
    const void *config = experiment->scenario->workload.config;
    if (limits->engine == ENGINE_HEAP) return "the heap engine takes all events in their order";
    if (watched) return "outputs record the run as it goes";
    if (experiment->scenario->network.injection != INJECT_FIFO) return "injection is not fifo";
    if (!type->local || !type->local(config)) return "ranks wait for each other at one instant";
    if (!type->apart || !type->apart(config)) return "the ranks of this workload share a plan";
    if (proof_follows(plan, limits->proof)) return "the proof follows every contribution; --proof off allows more";
    return NULL;
}

// ---- one thread

static void prepare(struct member *member) {
    struct team *team = member->team;
    const struct experiment *experiment = team->experiment;
    struct workload_place place = experiment_place(experiment);
    member->hosted = allocate_zeroed(experiment->ranks, 1);
    for (uint32_t r = 0; r < experiment->ranks; r++)
        member->hosted[r] = shards_of_node(team->shards, experiment->place[r]) == member->number;
    place.comm = member->comm = experiment_communicator(experiment, &team->limits);
    shards_join(team->shards, member->number, communicator_sim(place.comm));
    communicator_join(place.comm, team->group);
    communicator_set_hosted(place.comm, member->hosted);
    const struct tree_source trees = experiment_trees(experiment);
    place.trees = &trees;
    member->job = experiment_start(experiment, &place, &member->outcomes, &member->ranks_left);
    communicator_set_local(place.comm, true);
}

static void run_member(struct member *member) {
    prepare(member);
    communicator_run(member->comm, &window_engine, &member->error);
}

/// The job borrows from the communicator.
static void release(struct member *member) {
    if (member->job) member->job->type->release(member->job);
    communicator_free(member->comm);
    free(member->hosted);
}

static void *thread_main(void *context) {
    struct member *member = context;
    struct team *team = member->team;
    pthread_mutex_lock(&team->mutex);
    while (team->gate == GATE_SHUT) pthread_cond_wait(&team->gate_moved, &team->mutex);
    bool open = team->gate == GATE_OPEN;
    pthread_mutex_unlock(&team->mutex);
    if (open) run_member(member);
    return NULL;
}

// ---- all threads

static void move_gate(struct team *team, enum gate gate) {
    pthread_mutex_lock(&team->mutex);
    team->gate = gate;
    pthread_cond_broadcast(&team->gate_moved);
    pthread_mutex_unlock(&team->mutex);
}

/// Runs all, or nobody where the system gives too few threads.
static bool run_all(struct team *team) {
    uint32_t begun = 1;
    while (begun < team->count && pthread_create(&team->members[begun].thread, NULL, thread_main, &team->members[begun]) == 0) begun++;
    bool all = begun == team->count;
    move_gate(team, all ? GATE_OPEN : GATE_GIVEN_UP);
    if (all) run_member(&team->members[0]);
    for (uint32_t i = 1; i < begun; i++) pthread_join(team->members[i].thread, NULL);
    return all;
}

/// Some ask with the chunk-hops of all, some with those of their own part: the run has come at least as far as was said before.
static bool ask_progress(void *context, int64_t now_ticks, uint64_t chunk_hops) {
    struct team *team = context;
    pthread_mutex_lock(&team->mutex);
    if (now_ticks > team->told_ticks) team->told_ticks = now_ticks;
    if (chunk_hops > team->told_hops) team->told_hops = chunk_hops;
    bool go_on = team->asked->progress(team->asked->context, team->told_ticks, team->told_hops);
    pthread_mutex_unlock(&team->mutex);
    return go_on;
}

static void create_team(struct team *team, const struct experiment *experiment, const struct run_limits *limits, struct shards *shards) {
    *team = (struct team){.experiment = experiment, .limits = *limits, .asked = limits, .shards = shards, .count = shards_count(shards)};
    team->limits.shortcuts &= 1u << SHORTCUT_SOLO; // the others look at more than one part
    if (limits->progress) team->limits.progress = ask_progress, team->limits.context = team;
    team->group = communicator_group_create();
    team->members = allocate_zeroed(team->count, sizeof *team->members);
    for (uint32_t i = 0; i < team->count; i++) team->members[i].team = team, team->members[i].number = i;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->gate_moved, NULL);
}

/// Outcomes that were not taken into a result included.
static void free_team(struct team *team) {
    for (uint32_t i = 0; i < team->count; i++) {
        struct outcomes *outcomes = &team->members[i].outcomes;
        for (size_t k = 0; k < outcomes->count; k++) {
            free(outcomes->items[k]->rank_end_ticks);
            free(outcomes->items[k]);
        }
        free(outcomes->items);
        release(&team->members[i]);
    }
    free(team->members);
    communicator_group_free(team->group);
    shards_free(team->shards);
    pthread_mutex_destroy(&team->mutex);
    pthread_cond_destroy(&team->gate_moved);
}

// ---- the result of all

/// How the run ended; false: in a way that one thread can tell better.
static bool gather_status(const struct team *team, struct run_result *result) {
    uint32_t left = 0;
    bool interrupted = false;
    const struct error *error = NULL;
    for (uint32_t i = 0; i < team->count; i++) {
        const struct member *member = &team->members[i];
        left += member->ranks_left;
        interrupted = interrupted || sim_interrupted(communicator_sim(member->comm));
        if (member->error.kind != ERROR_NONE && (!error || member->error.kind != ERROR_LIMIT)) error = &member->error;
    }
    if (interrupted) {
        result->status = RUN_INTERRUPTED;
    } else if (error && error->kind == ERROR_LIMIT) {
        result->status = RUN_LIMIT;
        result->error = *error;
    } else {
        result->status = RUN_COMPLETE;
        return !error && left == 0;
    }
    return true;
}

static void merge_outcome(struct collective_outcome *into, const struct collective_outcome *from) {
    if (from->start_ticks >= 0 && (into->start_ticks < 0 || from->start_ticks < into->start_ticks)) into->start_ticks = from->start_ticks;
    if (from->end_ticks > into->end_ticks) into->end_ticks = from->end_ticks;
    for (uint32_t m = 0; m < into->args.size; m++)
        if (from->rank_end_ticks[m] >= 0) into->rank_end_ticks[m] = from->rank_end_ticks[m];
}

static void gather(struct team *team, struct run_result *result) {
    const struct sim_totals totals = shards_totals(team->shards);
    experiment_gather_totals(result, &totals);
    for (uint32_t i = 0; i < team->count; i++) {
        const struct member *member = &team->members[i];
        experiment_add_ranks(result, member->comm);
        for (size_t k = 0; i > 0 && k < member->outcomes.count; k++)
            merge_outcome(team->members[0].outcomes.items[k], member->outcomes.items[k]);
    }
    for (uint32_t l = 0; l < result->link_count; l++) experiment_gather_link(result, l, shards_link_totals(team->shards, l));
    experiment_gather_collectives(&team->members[0].outcomes, result);
}

// ---- how many

/// Chunks that a thread must serve a window so that meeting the others costs little (docs/speed.md, "Threads").
enum { LEAST_HOPS = 800 };

/// Whether a collective is done again, which shortcuts know better how to do.
static bool repeats(const struct plan *plan) {
    bool found = plan->repeat > 1;
    for (size_t i = 0; plan->items && i < plan->count; i++) found = found || repeats(plan->items[i]);
    return found;
}

/// Cores that are idle, this thread's own included.
static uint32_t free_cores(void) {
    double load = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) != 1 || cores < 1) return 1;
    long busy = (long)load;
    return busy < cores ? (uint32_t)(cores - busy) : 1;
}

/// The threads to try where the user names no number: one a core, for traffic of some tenths of a second.
static uint32_t threads_to_try(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits) {
    enum { THREADS_MOST = 8 };
    const uint64_t least_chunks = 1000000;
    if (!plan || limits->max_events || limits->max_memory) return 1; // how far a limit lets it come depends on the threads
    if ((limits->shortcuts & 1u << SHORTCUT_REPLAY) && repeats(plan)) return 1;
    struct counter counter = {.most = least_chunks, .chunks = true, .chunk_bytes = experiment->scenario->network.chunk_bytes};
    uint64_t chunks = count_posts(plan, &counter);
    pages_free(counter.step.operations);
    uint32_t cores = free_cores();
    return chunks < least_chunks ? 1 : cores < THREADS_MOST ? cores : THREADS_MOST;
}

bool run_in_threads(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits, bool watched,
                    struct run_result *result) {
    uint32_t wanted = limits->threads ? limits->threads : threads_to_try(experiment, plan, limits);
    result->threads = 1;
    if (wanted <= 1) return false;
    result->one_thread = obstacle(experiment, plan, limits, watched);
    if (result->one_thread) return false;
    struct shards *shards = shards_create(&experiment->topology->graph, wanted, limits->threads ? 0 : LEAST_HOPS);
    if (!shards) {
        result->one_thread = "there is nothing to divide, or no room for messages at fixed addresses";
        return false;
    }
    struct team team;
    create_team(&team, experiment, limits, shards);
    bool begun = run_all(&team);
    if (!begun) result->one_thread = "the system gives no more threads";
    bool done = begun && !shards_gave_up(shards) && gather_status(&team, result);
    if (done) {
        gather(&team, result);
        result->threads = team.count;
    }
    free_team(&team);
    return done;
}
