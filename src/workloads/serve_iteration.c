// One pass of a team through the model. Where nothing else can use the team's links before a collective is over, the
// collective is not simulated: it was once, alone, and takes the same time again; its bytes, chunks and deliveries are counted
// as if it had been. Whole passes are replayed so, or as many halves of layers as fit before the next transfer of keys and values can
// begin on these links; while one is under way, every collective is simulated.
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "workloads/serve_state.h"

static void advance(struct instance *instance);

// ---- what is known of the team's collectives

static struct known_collective *slot_of(const struct known_collectives *known, int64_t bytes) {
    size_t slot = mix64((uint64_t)bytes) & (known->capacity - 1);
    while (known->slots[slot].bytes != 0 && known->slots[slot].bytes != bytes) slot = (slot + 1) & (known->capacity - 1);
    return &known->slots[slot];
}

static void grow(struct known_collectives *known) {
    const struct known_collectives old = *known;
    known->capacity = old.capacity ? 2 * old.capacity : 64;
    known->slots = allocate_zeroed(known->capacity, sizeof *known->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].bytes) *slot_of(known, old.slots[i].bytes) = old.slots[i];
    free(old.slots);
}

static struct collective_request request_of(const struct instance *instance, uint32_t place, int64_t bytes) {
    struct collective_request request = {.algorithm = instance->tensor.algorithms[place],
                                         .args = instance->tensor.args,
                                         .ranks = instance->ranks,
                                         .order = instance->job->order + instance->index * SERVE_ORDERS};
    request.args.kind = request.algorithm->kind;
    request.args.bytes = bytes;
    return request;
}

/// NULL: it must be simulated.
static const struct rehearsal *rehearsal_of(struct instance *instance, uint32_t place, int64_t bytes) {
    struct known_collectives *known = &instance->known[place];
    if (2 * (known->count + 1) > known->capacity) grow(known);
    struct known_collective *slot = slot_of(known, bytes);
    if (slot->bytes) return slot->rehearsal;
    const struct collective_request request = request_of(instance, place, bytes);
    struct rehearsal *rehearsal = instance->job->network.rehearse(instance->job->network.context, &request);
    if (!rehearsal) {
        instance->replays = false;
        return NULL;
    }
    *slot = (struct known_collective){bytes, rehearsal};
    known->count++;
    return rehearsal;
}

void iteration_release(struct instance *instance) {
    for (int place = 0; place < 2; place++) {
        struct known_collectives *known = &instance->known[place];
        for (size_t i = 0; i < known->capacity; i++) rehearsal_free(known->slots[i].rehearsal);
        free(known->slots);
        free(instance->iteration.starts[place]);
    }
}

// ---- when a transfer may begin

/// A time before which no transfer can begin that has not begun. One begins when a prefill batch is done, or when a
/// decode batch gives memory free that one waits for.
static int64_t next_transfer(const struct instance *self) {
    const struct serve_job *job = self->job;
    int64_t now = communicator_now(job->comm), next = INT64_MAX;
    bool waits = job->ready.count > 0;
    for (uint32_t i = 0; i < job->instance_count; i++) {
        const struct instance *other = &job->instances[i];
        if (other == self) continue;
        bool begins_transfers = other->prefills || waits;
        if (other->busy && begins_transfers && other->iteration.earliest_end < next) next = other->iteration.earliest_end;
        // an idle one may go on at any delivery
        bool may_go_on = other->prefills ? other->waiting.count > 0 : waits && job->transfers > 0;
        if (!other->busy && may_go_on) return now;
        if (!other->busy && other->prefills && job->arrived < job->requests.count) {
            int64_t arrival = ticks_after(job->start, job->states[job->arrived].arrival);
            if (arrival < next) next = arrival;
        }
    }
    return next;
}

/// Up to when collectives of the team may be replayed.
static int64_t replay_horizon(const struct instance *instance) {
    int64_t now = communicator_now(instance->job->comm);
    if (!instance->replays) return now;
    if (!instance->meets_transfers) return INT64_MAX;
    return instance->transfers > 0 ? now : next_transfer(instance);
}

// ---- one half of a layer after another

static int64_t half_ticks(const struct instance *instance, uint32_t half) {
    const struct iteration *iteration = &instance->iteration;
    if (half % 2 == 0) return iteration->ticks.attention;
    return model_layer_has_experts(&instance->inference.model, half / 2) ? iteration->ticks.moe : iteration->ticks.dense;
}

static void ended(void *context, uint32_t cookie, int64_t now) {
    (void)cookie, (void)now;
    struct instance *instance = context;
    serve_batch_done(instance);
}

static void call_at(struct instance *instance, int64_t time, void (*call)(void *, uint32_t, int64_t)) {
    communicator_timer(instance->job->comm, instance->first_rank, time, (struct done_call){call, instance}, 0);
}

static void count_replays(struct instance *instance) {
    struct iteration *iteration = &instance->iteration;
    for (uint32_t place = 0; place < instance->tensor.collectives; place++)
        communicator_replay(instance->job->comm, iteration->rehearsals[place], iteration->starts[place], iteration->replays);
    instance->job->halves_replayed += iteration->replays;
    iteration->replays = 0;
}

static void replayed(void *context, uint32_t cookie, int64_t now) {
    (void)cookie, (void)now;
    struct instance *instance = context;
    count_replays(instance);
    advance(instance);
}

static void replayed_all(void *context, uint32_t cookie, int64_t now) {
    struct instance *instance = context;
    count_replays(instance);
    ended(context, cookie, now);
}

/// Plans the replay of as many halves as end by the horizon; returns when the last ends.
static int64_t plan_replays(struct instance *instance, int64_t now, int64_t horizon) {
    struct iteration *iteration = &instance->iteration;
    const struct tensor *tensor = &instance->tensor;
    int64_t end = now;
    for (; iteration->half < iteration->halves; iteration->half++) {
        int64_t compute = half_ticks(instance, iteration->half), at = ticks_after(end, compute);
        for (uint32_t place = 0; place < tensor->collectives; place++) {
            iteration->starts[place][iteration->replays] = at = ticks_after(at, tensor->launch_ticks);
            at = ticks_after(at, iteration->rehearsals[place]->ticks);
        }
        if (at > horizon) break;
        iteration->replays++;
        iteration->compute_left -= compute + tensor->collectives * tensor->launch_ticks;
        end = at;
    }
    return end;
}

/// Whether some halves are replayed now.
static bool replay(struct instance *instance) {
    struct iteration *iteration = &instance->iteration;
    int64_t now = communicator_now(instance->job->comm), horizon = replay_horizon(instance);
    if (horizon <= now) return false;
    for (uint32_t place = 0; place < instance->tensor.collectives; place++)
        if (!(iteration->rehearsals[place] = rehearsal_of(instance, place, iteration->bytes))) return false;
    int64_t end = plan_replays(instance, now, horizon);
    if (iteration->replays == 0) return false;
    iteration->replayed_until = end;
    iteration->earliest_end = ticks_after(end, iteration->compute_left);
    if (iteration->half == iteration->halves)
        call_at(instance, iteration->earliest_end, replayed_all);
    else
        call_at(instance, end, replayed);
    return true;
}

static void start_collective(void *context, uint32_t cookie, int64_t now);

static void collective_done(void *context, uint32_t member, int64_t now) {
    (void)member;
    struct instance *instance = context;
    struct iteration *iteration = &instance->iteration;
    if (--iteration->members_left > 0) return;
    communicator_close(instance->job->comm, iteration->collective);
    if (++iteration->place < instance->tensor.collectives) {
        call_at(instance, ticks_after(now, instance->tensor.launch_ticks), start_collective);
        return;
    }
    iteration->half++;
    instance->job->halves_simulated++;
    advance(instance);
}

static void start_collective(void *context, uint32_t cookie, int64_t now) {
    (void)cookie, (void)now;
    struct instance *instance = context;
    struct iteration *iteration = &instance->iteration;
    struct communicator *comm = instance->job->comm;
    struct collective_request request = request_of(instance, iteration->place, iteration->bytes);
    request.done = (struct done_call){collective_done, instance};
    iteration->members_left = request.args.size;
    iteration->collective = communicator_open(comm, &request);
    for (uint32_t member = 0; member < request.args.size; member++) communicator_start(comm, iteration->collective, member, 0);
}

static void simulate(struct instance *instance) {
    struct iteration *iteration = &instance->iteration;
    int64_t now = communicator_now(instance->job->comm), compute = half_ticks(instance, iteration->half);
    iteration->place = 0;
    iteration->earliest_end = ticks_after(now, iteration->compute_left);
    iteration->compute_left -= compute + instance->tensor.collectives * instance->tensor.launch_ticks;
    call_at(instance, ticks_after(ticks_after(now, compute), instance->tensor.launch_ticks), start_collective);
}

/// Goes on with the next half.
static void advance(struct instance *instance) {
    struct iteration *iteration = &instance->iteration;
    if (iteration->half == iteration->halves || instance->tensor.collectives == 0) {
        iteration->earliest_end = ticks_after(communicator_now(instance->job->comm), iteration->compute_left);
        call_at(instance, iteration->earliest_end, ended);
    } else if (!replay(instance)) {
        simulate(instance);
    }
}

static int64_t compute_of(const struct instance *instance) {
    const struct iteration *iteration = &instance->iteration;
    const struct model *model = &instance->inference.model;
    int64_t moe = model->experts > 0 ? model->layers - model->dense_layers : 0;
    __int128 sum = (__int128)model->layers * iteration->ticks.attention + (__int128)moe * iteration->ticks.moe +
                   (__int128)(model->layers - moe) * iteration->ticks.dense + iteration->ticks.head +
                   (__int128)iteration->halves * instance->tensor.collectives * instance->tensor.launch_ticks;
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

void iteration_begin(struct instance *instance, const struct pass *pass) {
    struct iteration *iteration = &instance->iteration;
    struct error err = {0};
    iteration->half = 0, iteration->halves = 2 * (uint32_t)instance->inference.model.layers;
    for (uint32_t place = 0; place < instance->tensor.collectives; place++)
        if (!iteration->starts[place]) iteration->starts[place] = allocate(iteration->halves * sizeof *iteration->starts[place]);
    if (pass_price(&instance->inference, pass, &iteration->ticks, &err)) {
        iteration->compute_left = compute_of(instance);
    } else { // longer than the clock counts: the engine will say so
        iteration->half = iteration->halves;
        iteration->compute_left = INT64_MAX;
    }
    iteration->bytes = inference_activation_bytes(&instance->inference, pass->tokens);
    advance(instance);
}

// ---- whose links are whose

static void mark_team(const struct serve_job *job, const struct instance *instance, uint8_t *marks) {
    for (uint32_t a = 0; a < instance->tensor.degree; a++)
        for (uint32_t b = 0; b < instance->tensor.degree; b++)
            if (a != b) job->network.mark_links(job->network.context, instance->ranks[a], instance->ranks[b], marks);
}

static bool any_common(const uint8_t *a, const uint8_t *b, uint32_t count) {
    for (uint32_t l = 0; l < count; l++)
        if (a[l] & b[l]) return true;
    return false;
}

/// Teams that share links with each other are always simulated.
static void compare_teams(struct serve_job *job, uint8_t *const *teams) {
    for (uint32_t i = 0; i < job->instance_count; i++) {
        job->instances[i].replays = job->config->replay && !job->shared;
        for (uint32_t j = 0; j < job->instance_count; j++)
            if (i != j && any_common(teams[i], teams[j], job->network.link_count)) job->instances[i].replays = false;
    }
}

static void compare_transfers(struct serve_job *job, uint8_t *const *teams) {
    uint32_t decodes = job->instance_count - job->prefill_count;
    for (uint32_t p = 0; p < job->prefill_count; p++)
        for (uint32_t d = 0; d < decodes; d++) {
            uint8_t *marks = allocate_zeroed(job->network.link_count, 1);
            transfer_mark_links(job, &job->instances[p], &job->instances[job->prefill_count + d], marks);
            for (uint32_t i = 0; i < job->instance_count; i++) {
                bool meets = any_common(marks, teams[i], job->network.link_count);
                job->shares[((size_t)p * decodes + d) * job->instance_count + i] = meets;
                job->instances[i].meets_transfers |= meets;
            }
            free(marks);
        }
}

void iteration_find_sharing(struct serve_job *job) {
    uint8_t **teams = allocate(job->instance_count * sizeof *teams);
    for (uint32_t i = 0; i < job->instance_count; i++) {
        teams[i] = allocate_zeroed(job->network.link_count, 1);
        mark_team(job, &job->instances[i], teams[i]);
    }
    compare_teams(job, teams);
    if (job->shares) compare_transfers(job, teams);
    for (uint32_t i = 0; i < job->instance_count; i++) free(teams[i]);
    free(teams);
}
