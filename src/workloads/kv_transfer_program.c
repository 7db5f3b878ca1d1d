// The work of kv-transfer as programs: prefill layer by layer with the messages that carry its keys and values; and, beside
// it, the decode ranks' own steps.
#include <stdlib.h>

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

static struct spot spot_of(const struct kv_transfer_job *job, uint64_t index) {
    uint64_t layers = layer_count(job), in_prompt = index % job->prompt_nodes, n = job->layer_nodes, hops = job->hops;
    struct spot spot = {.prompt = index / job->prompt_nodes};
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

int64_t kv_given_ticks(const struct kv_transfer_config *config, const struct model *model, int64_t layer) {
    int64_t total = config->prefill_ticks;
    return split_start(total, model->layers, layer + 1) - split_start(total, model->layers, layer);
}

static void prefill_node(const struct kv_transfer_job *job, const struct spot *spot, struct node *out) {
    const struct layer_block block = prefill_block(job, spot);
    layer_block_node(&block, spot->head ? 0 : spot->k, out);
    if (spot->head) out->ticks = block.part->ticks.head;
    if (spot->head || spot->k == 0) out->after[0] = back_to_compute(job, spot);
    if (job->config->prefill_ticks >= 0)
        out->ticks = spot->head || spot->k > 0 ? 0 : kv_given_ticks(job->config, &block.inference->model, block.first_layer);
}

/// The messages of a prompt's layers are alike.
static void make_messages(struct kv_transfer_job *job, uint64_t prompt) {
    const struct kv_block block = kv_block_of(&job->setup.prefill.inference, 1, job->prompts[prompt].part.tokens);
    for (uint32_t hop = 0; hop < job->hops; hop++) {
        job->messages[hop].count = 0;
        kv_route_messages(&job->setup.route, &block, leg_of(job, prompt, hop), &job->messages[hop]);
    }
    job->messages_of = prompt;
}

static void give_node(void *context, uint64_t index, struct node *out) {
    struct kv_transfer_job *job = context;
    const struct spot spot = spot_of(job, index);
    if (!spot.message) {
        prefill_node(job, &spot, out);
        return;
    }
    if (job->messages_of != spot.prompt) make_messages(job, spot.prompt);
    const struct kv_messages *messages = &job->messages[spot.k];
    *out = (struct node){
        .kind = NODE_MESSAGES,
        .after = {back_to_cause(job, &spot)},
        .messages = messages->items,
        .message_count = messages->count,
    };
}

static void see_entered(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct kv_transfer_job *job = context;
    const struct spot spot = spot_of(job, index);
    struct kv_prompt *prompt = &job->prompts[spot.prompt];
    const struct kv_group *senders = &job->setup.route.prefill;
    if (!spot.message) {
        if (prompt->start < 0 || now < prompt->start) prompt->start = now;
    } else if (rank >= senders->first && rank < senders->first + senders->count) {
        if (prompt->send_start < 0 || now < prompt->send_start) prompt->send_start = now;
    }
}

static void see_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct kv_transfer_job *job = context;
    const struct spot spot = spot_of(job, index);
    struct kv_prompt *prompt = &job->prompts[spot.prompt];
    (void)rank;
    int64_t *latest = spot.message ? &prompt->arrival : &prompt->prefill_end;
    if (now > *latest) *latest = now;
}

static void program_done(void *context, uint32_t rank, int64_t now) {
    struct kv_transfer_job *job = context;
    if (--job->left[rank] == 0) job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

struct program *kv_transfer_program(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order) {
    const struct layer_block block = prefill_block(job, &(struct spot){.prompt = 0});
    uint64_t layers = layer_count(job);
    job->hops = kv_route_relays(&job->setup.route) ? KV_HOPS : 1;
    job->layer_nodes = layer_block_nodes(&block);
    job->prompt_nodes = layers * (job->layer_nodes + job->hops) + 1;
    job->messages_of = UINT64_MAX;
    const struct program_config config = {
        .comm = place->comm,
        .order = order,
        .source = {job, give_node},
        .count = job->prompt_count * job->prompt_nodes,
        .window = (uint32_t)(4 * (job->layer_nodes + job->hops)),
        .watch = {job, see_entered, see_left},
        .rank_done = {program_done, job},
    };
    return program_create(&config);
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

struct program *kv_decode_program(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order) {
    const struct layer_block block = step_block(job, 0);
    job->step_nodes = layer_block_nodes(&block);
    const struct program_config config = {
        .comm = place->comm,
        .order = order,
        .source = {job, give_step_node},
        .count = (uint64_t)job->config->decode_steps * job->step_nodes,
        .window = 16,
        .watch = {job, NULL, see_step_left},
        .rank_done = {program_done, job},
    };
    return program_create(&config);
}
