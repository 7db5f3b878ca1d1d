// The work of kv-transfer as programs: prefill layer by layer with the messages that carry its keys and values; and, beside
// it, the decode ranks' own steps.
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/kv_transfer.h"

static uint64_t layer_count(const struct kv_transfer_job *job) { return (uint64_t)job->setup.prefill.inference.model.layers; }

static bool by_layer(const struct kv_transfer_job *job) { return job->config->mode == KV_LAYER_BY_LAYER; }

/// Which instances a prompt is computed and received by: in turn.
static struct kv_leg leg_of(const struct kv_transfer_job *job, uint64_t prompt, uint32_t hop) {
    const struct kv_route *route = &job->setup.route;
    return (struct kv_leg){
        .from = (uint32_t)(prompt % kv_instances(&route->prefill)),
        .to = (uint32_t)(prompt % kv_instances(&route->decode)),
        .hop = job->hops == 1 ? KV_CROSS : (enum kv_hop)hop,
    };
}

// ---- where a node stands

/// Of a prompt: the compute and collectives of each layer, last the projection to the vocabulary, and for each layer its
/// messages: after its own nodes, or after all.
struct spot {
    uint64_t prompt, layer;
    bool message, head;
    uint64_t k; ///< which of the layer's nodes, or of its hops
};

static struct spot spot_of(const struct kv_stream *stream, uint64_t index) {
    const struct kv_transfer_job *job = stream->job;
    uint64_t layers = layer_count(job), in_prompt = index % job->prompt_nodes, n = job->layer_nodes, hops = job->hops;
    struct spot spot = {.prompt = stream->instance + index / job->prompt_nodes * job->stream_count};
    if (by_layer(job)) {
        spot.head = in_prompt + 1 == job->prompt_nodes;
        spot.layer = in_prompt / (n + hops), spot.k = in_prompt % (n + hops);
        spot.message = !spot.head && spot.k >= n;
        if (spot.message) spot.k -= n;
    } else {
        spot.head = in_prompt == layers * n;
        spot.message = in_prompt > layers * n;
        if (spot.message) in_prompt -= layers * n + 1;
        spot.layer = in_prompt / (spot.message ? hops : n), spot.k = in_prompt % (spot.message ? hops : n);
    }
    return spot;
}

/// How many nodes back the last node is that the first of a layer, or the head, comes after.
static uint32_t back_to_compute(const struct kv_transfer_job *job, const struct spot *spot) {
    bool first = spot->layer == 0 && !spot->head;
    if (first) return by_layer(job) ? 1 : (uint32_t)(layer_count(job) * job->hops) + 1; // the head of the prompt before
    return by_layer(job) ? job->hops + 1 : 1;
}

static uint32_t back_to_cause(const struct kv_transfer_job *job, const struct spot *spot) {
    if (spot->k > 0 || by_layer(job)) return 1;
    return (uint32_t)(spot->layer * job->hops) + 1;
}

// ---- the transfer

static struct rank_set instance_ranks(const struct kv_group *group, uint32_t instance) {
    return (struct rank_set){.first = group->first + instance * group->tp, .count = group->tp};
}

static struct layer_block prefill_block(const struct kv_transfer_job *job, const struct spot *spot) {
    const struct kv_side *side = &job->setup.prefill;
    return (struct layer_block){
        .inference = &side->inference,
        .tensor = &side->tensor,
        .ranks = instance_ranks(&job->setup.route.prefill, leg_of(job, spot->prompt, 0).from),
        .first_layer = (int64_t)spot->layer,
        .layers = 1,
        .parts = 1,
        .part = &job->prompts[spot->prompt].part,
    };
}

/// How long a layer takes where the prefill's time is given: its equal part.
static int64_t given_ticks(const struct kv_transfer_config *config, const struct model *model, int64_t layer) {
    int64_t total = config->prefill_ticks;
    return split_start(total, model->layers, layer + 1) - split_start(total, model->layers, layer);
}

static void prefill_node(const struct kv_transfer_job *job, const struct spot *spot, struct node *out) {
    const struct layer_block block = prefill_block(job, spot);
    layer_block_node(&block, spot->head ? 0 : spot->k, out);
    if (spot->head) out->ticks = block.part->ticks.head;
    if (spot->head || spot->k == 0) out->after[0] = back_to_compute(job, spot);
    if (job->config->prefill_ticks >= 0)
        out->ticks = spot->head || spot->k > 0 ? 0 : given_ticks(job->config, &block.inference->model, block.first_layer);
}

/// The messages of a prompt's layers are alike.
static void make_messages(struct kv_stream *stream, uint64_t prompt) {
    const struct kv_transfer_job *job = stream->job;
    const struct kv_block block = kv_block_of(&job->setup.prefill.inference, 1, job->prompts[prompt].part.tokens);
    for (uint32_t hop = 0; hop < job->hops; hop++) {
        stream->messages[hop].count = 0;
        kv_route_messages(&job->setup.route, &block, leg_of(job, prompt, hop), &stream->messages[hop]);
    }
    stream->messages_of = prompt;
}

static void give_node(void *context, uint64_t index, struct node *out) {
    struct kv_stream *stream = context;
    const struct kv_transfer_job *job = stream->job;
    const struct spot spot = spot_of(stream, index);
    if (!spot.message) {
        prefill_node(job, &spot, out);
        return;
    }
    if (stream->messages_of != spot.prompt) make_messages(stream, spot.prompt);
    const struct kv_messages *messages = &stream->messages[spot.k];
    *out = (struct node){
        .kind = NODE_MESSAGES,
        .after = {back_to_cause(job, &spot)},
        .messages = messages->items,
        .message_count = messages->count,
    };
}

static void see_entered(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct kv_stream *stream = context;
    const struct kv_transfer_job *job = stream->job;
    const struct spot spot = spot_of(stream, index);
    struct kv_prompt *prompt = &job->prompts[spot.prompt];
    const struct kv_group *senders = &job->setup.route.prefill;
    if (!spot.message) {
        if (prompt->start < 0 || now < prompt->start) prompt->start = now;
    } else if (rank >= senders->first && rank < senders->first + senders->count) {
        if (prompt->send_start < 0 || now < prompt->send_start) prompt->send_start = now;
    }
}

static void see_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct kv_stream *stream = context;
    const struct kv_transfer_job *job = stream->job;
    const struct spot spot = spot_of(stream, index);
    struct kv_prompt *prompt = &job->prompts[spot.prompt];
    (void)rank;
    int64_t *latest = spot.message ? &prompt->arrival : &prompt->prefill_end;
    if (now > *latest) *latest = now;
    if (spot.message || spot.head) prompt->awaited--;
}

static void program_done(struct kv_transfer_job *job, uint32_t rank, int64_t now) {
    if (--job->left[rank] == 0) job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static void stream_done(void *context, uint32_t rank, int64_t now) { program_done(((struct kv_stream *)context)->job, rank, now); }

/// How many ranks send or receive some of the messages.
static uint64_t count_members(const struct kv_messages *messages, uint32_t ranks) {
    bool *member = allocate_zeroed(ranks, sizeof *member);
    uint64_t count = 0;
    for (size_t i = 0; i < messages->count; i++) member[messages->items[i].from] = member[messages->items[i].to] = true;
    for (uint32_t r = 0; r < ranks; r++) count += member[r];
    free(member);
    return count;
}

static void await_prompt(struct kv_stream *stream, uint64_t prompt) {
    const struct kv_transfer_job *job = stream->job;
    uint64_t members = 0;
    make_messages(stream, prompt);
    for (uint32_t hop = 0; hop < job->hops; hop++) members += count_members(&stream->messages[hop], job->ranks);
    job->prompts[prompt].awaited = job->setup.route.prefill.tp + layer_count(job) * members;
}

static void make_stream(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order, uint32_t instance) {
    struct kv_stream *stream = &job->streams[instance];
    *stream = (struct kv_stream){.job = job, .instance = instance, .messages_of = UINT64_MAX};
    uint64_t prompts = (job->prompt_count + job->stream_count - 1 - instance) / job->stream_count;
    const struct program_config config = {
        .comm = place->comm,
        .order = order + instance * PROGRAM_ORDERS,
        .source = {stream, give_node, NULL},
        .count = prompts * job->prompt_nodes,
        .window = (uint32_t)(4 * (job->layer_nodes + job->hops)),
        .watch = {.context = stream, .entered = see_entered, .left = see_left},
        .rank_done = {stream_done, stream},
    };
    for (uint64_t i = 0; i < prompts; i++) await_prompt(stream, instance + i * job->stream_count);
    stream->program = program_create(&config);
}

void kv_transfer_programs(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order) {
    const struct layer_block block = prefill_block(job, &(struct spot){.prompt = 0});
    job->hops = kv_route_relays(&job->setup.route) ? KV_HOPS : 1;
    job->layer_nodes = layer_block_nodes(&block);
    job->prompt_nodes = layer_count(job) * (job->layer_nodes + job->hops) + 1;
    job->stream_count = kv_instances(&job->setup.route.prefill);
    job->streams = allocate_zeroed(job->stream_count, sizeof *job->streams);
    for (uint32_t instance = 0; instance < job->stream_count; instance++) make_stream(job, place, order, instance);
}

// ---- the decode ranks' own work

static struct layer_block step_block(const struct kv_transfer_job *job, uint64_t step) {
    const struct kv_side *side = &job->setup.decode;
    const struct kv_group *group = &job->setup.route.decode;
    return (struct layer_block){
        .inference = &side->inference,
        .tensor = &side->tensor,
        .ranks = {.first = group->first, .count = group->count},
        .layers = side->inference.model.layers,
        .parts = 1,
        .part = &job->steps[step],
        .head = true,
    };
}

static void give_step_node(void *context, uint64_t index, struct node *out) {
    const struct kv_transfer_job *job = context;
    const struct layer_block block = step_block(job, index / job->step_nodes);
    layer_block_node(&block, index % job->step_nodes, out);
}

static void see_step_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct kv_transfer_job *job = context;
    (void)rank;
    if ((index + 1) % job->step_nodes) return;
    int64_t *end = &job->step_end[index / job->step_nodes];
    if (now > *end) *end = now;
}

static void decode_done(void *context, uint32_t rank, int64_t now) { program_done(context, rank, now); }

struct program *kv_decode_program(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order) {
    const struct layer_block block = step_block(job, 0);
    job->step_nodes = layer_block_nodes(&block);
    const struct program_config config = {
        .comm = place->comm,
        .order = order,
        .source = {job, give_step_node, NULL},
        .count = (uint64_t)job->config->decode_steps * job->step_nodes,
        .window = 16,
        .watch = {.context = job, .left = see_step_left},
        .rank_done = {decode_done, job},
    };
    return program_create(&config);
}
