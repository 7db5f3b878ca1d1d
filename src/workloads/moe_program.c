// The work of moe as a program: layer after layer, and in each one micro-batch after another, the nodes of moe_layer.
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/moe.h"

// ---- where a node stands

struct spot {
    int64_t layer; ///< model->layers: the projection to the vocabulary
    uint32_t micro_batch, k;
};

static const struct model *model_of(const struct moe_job *job) { return &job->setup.inference.model; }

static int64_t dense_layers(const struct moe_job *job) {
    const struct model *model = model_of(job);
    return model->dense_layers < model->layers ? model->dense_layers : model->layers;
}

static const struct moe_layer *layer_of(const struct moe_job *job, int64_t layer) {
    if (layer == model_of(job)->layers) return &job->head;
    return layer < dense_layers(job) ? &job->dense : &job->sparse;
}

/// Where the nodes of a layer begin.
static uint64_t layer_start(const struct moe_job *job, int64_t layer) {
    int64_t dense = layer < dense_layers(job) ? layer : dense_layers(job);
    uint64_t nodes = (uint64_t)dense * job->dense.count + (uint64_t)(layer - dense) * job->sparse.count;
    return nodes * job->setup.micro_batches;
}

static struct spot spot_of(const struct moe_job *job, uint64_t index) {
    int64_t dense = dense_layers(job), layers = model_of(job)->layers;
    uint32_t batches = job->setup.micro_batches;
    uint64_t sparse_start = layer_start(job, dense), head_start = layer_start(job, layers);
    int64_t layer = layers;
    if (index < sparse_start)
        layer = (int64_t)(index / ((uint64_t)job->dense.count * batches));
    else if (index < head_start)
        layer = dense + (int64_t)((index - sparse_start) / ((uint64_t)job->sparse.count * batches));
    uint32_t in_layer = (uint32_t)(index - layer_start(job, layer)), count = layer_of(job, layer)->count;
    return (struct spot){layer, in_layer / count, in_layer % count};
}

static uint64_t index_of(const struct moe_job *job, const struct spot *spot) {
    return layer_start(job, spot->layer) + (uint64_t)spot->micro_batch * layer_of(job, spot->layer)->count + spot->k;
}

// ---- what comes after what

/// Whether nothing of the same layer comes after a role: the next layer does.
static bool is_last(const struct moe_layer *layer, uint32_t k) {
    enum moe_role role = layer->roles[k];
    return k + 1 == layer->count || role == ROLE_BACK_DIRECT;
}

/// Of each role those that it comes after; where none of them is there, after the layer before.
static bool comes_after(enum moe_role role, enum moe_role before) {
    switch (role) {
    case ROLE_ATTENTION: return before == ROLE_GATHER;
    case ROLE_SCATTER: return before == ROLE_ATTENTION;
    case ROLE_FORWARD: return before == ROLE_ACROSS;
    case ROLE_EXPERTS: return before == ROLE_DIRECT || before == ROLE_FORWARD || before == ROLE_SHARED;
    case ROLE_BACK_FORWARD:
    case ROLE_BACK_DIRECT: return before == ROLE_EXPERTS;
    case ROLE_BACK_ACROSS: return before == ROLE_BACK_FORWARD;
    case ROLE_DENSE: return before == ROLE_DENSE_GATHER;
    case ROLE_DENSE_SCATTER: return before == ROLE_DENSE;
    default: return false;
    }
}

/// The last of attention: the scattering of its result, or itself.
static bool after_attention(enum moe_role role) {
    return role == ROLE_ACROSS || role == ROLE_DIRECT || role == ROLE_SHARED || role == ROLE_DENSE_GATHER || role == ROLE_DENSE;
}

static void fill_after(const struct moe_job *job, const struct spot *spot, struct node *out) {
    const struct moe_layer *layer = layer_of(job, spot->layer);
    enum moe_role role = layer->roles[spot->k];
    size_t count = 0;
    for (uint32_t k = 0; k < spot->k; k++)
        if (comes_after(role, layer->roles[k])) out->after[count++] = spot->k - k;
    for (uint32_t k = spot->k; count == 0 && after_attention(role) && k-- > 0;)
        if (layer->roles[k] == ROLE_SCATTER || layer->roles[k] == ROLE_ATTENTION) out->after[count++] = spot->k - k;
    if (count > 0 || spot->layer == 0) return;
    struct spot before = {spot->layer - 1, spot->micro_batch, 0};
    uint64_t index = index_of(job, spot);
    for (; before.k < layer_of(job, before.layer)->count; before.k++)
        if (is_last(layer_of(job, before.layer), before.k)) out->after[count++] = (uint32_t)(index - index_of(job, &before));
}

// ---- nodes

static size_t traffic_number(const struct moe_job *job, const struct spot *spot) {
    int64_t layer = job->same ? 0 : spot->layer - dense_layers(job);
    return (size_t)layer * job->setup.micro_batches + spot->micro_batch;
}

/// What goes from one rank to another, in as many layers.
static void add_bytes(struct moe_job *job, const struct moe_traffic *traffic, size_t from, size_t to, int64_t layers) {
    struct moe_load *load = &job->load;
    bool same_node = from / job->setup.node_size == to / job->setup.node_size;
    for (int hop = 0; hop < MOE_HOPS && traffic->bytes[0][hop]; hop++) {
        size_t place = from * job->setup.ranks + to;
        for (int way = 0; way < 2; way++)
            *(same_node ? &load->inside[way] : &load->across[way]) += layers * traffic->bytes[way][hop][place];
        load->into[to] += layers * traffic->bytes[0][hop][place];
    }
}

static void add_load(struct moe_job *job, const struct moe_traffic *traffic) {
    struct moe_load *load = &job->load;
    int64_t layers = job->same ? job->setup.moe_layers : 1, most = 0, all = 0, most_ticks = 0;
    for (size_t rank = 0; rank < job->setup.ranks; rank++) {
        int64_t tokens = traffic->expert_tokens[rank], ticks = traffic->expert_ticks[rank];
        load->tokens[rank] += layers * tokens;
        load->ticks += layers * ticks;
        all += tokens;
        if (tokens > most) most = tokens;
        if (ticks > most_ticks) most_ticks = ticks;
        for (size_t to = 0; to < job->setup.ranks; to++) add_bytes(job, traffic, rank, to, layers);
    }
    load->most_tokens += layers * most;
    load->most_ticks += layers * most_ticks;
    if (load->worst_of == 0 || (__int128)most * load->worst_of > (__int128)load->worst * all) load->worst = most, load->worst_of = all;
}

static struct moe_traffic *traffic_of(struct moe_job *job, const struct spot *spot) {
    struct moe_traffic **traffic = &job->traffic[traffic_number(job, spot)];
    if (*traffic) return *traffic;
    struct error err = {0};
    *traffic = moe_traffic_create(job->config, &job->setup, spot->layer - dense_layers(job), spot->micro_batch, &err);
    if (!*traffic) fatal("a workload was not checked: %s", err.text);
    add_load(job, *traffic);
    return *traffic;
}

static void compute_node(struct moe_job *job, const struct spot *spot, enum moe_role role, struct node *out) {
    const struct moe_part *part = &job->parts[spot->micro_batch];
    out->kind = NODE_COMPUTE;
    switch (role) {
    case ROLE_ATTENTION: out->ticks = part->ticks.attention + (spot->layer < dense_layers(job) ? 0 : part->router); return;
    case ROLE_SHARED: out->ticks = part->shared; return;
    case ROLE_DENSE: out->ticks = part->ticks.dense; return;
    case ROLE_EXPERTS: out->member_ticks = traffic_of(job, spot)->expert_ticks; return;
    default: out->ticks = part->ticks.head; return;
    }
}

/// Beside attention and dense layers: each rank of a team has its share of the team's tokens.
static void team_node(const struct moe_job *job, const struct spot *spot, bool gather, struct node *out) {
    const struct tensor *tensor = &job->setup.tensor;
    const struct moe_part *part = &job->parts[spot->micro_batch];
    out->kind = NODE_COLLECTIVE;
    out->ranks.team = tensor->degree;
    out->algorithm = part->algorithms[gather];
    out->args = tensor->args;
    out->args.kind = out->algorithm->kind;
    out->args.bytes = inference_activation_bytes(&job->setup.inference, part->tokens);
    out->launch_ticks = tensor->launch_ticks;
}

static void exchange_node(struct moe_job *job, const struct spot *spot, enum moe_role role, struct node *out) {
    static const int hops[MOE_ROLES] = {
        [ROLE_ACROSS] = HOP_ACROSS,      [ROLE_DIRECT] = HOP_DIRECT,        [ROLE_FORWARD] = HOP_FORWARD,
        [ROLE_BACK_ACROSS] = HOP_ACROSS, [ROLE_BACK_FORWARD] = HOP_FORWARD, [ROLE_BACK_DIRECT] = HOP_DIRECT};
    out->kind = NODE_COLLECTIVE;
    out->algorithm = job->exchange;
    out->args.kind = ALL_TO_ALL;
    out->args.size = job->setup.ranks;
    out->args.schedule = (enum schedule)job->config->schedule;
    out->args.matrix = traffic_of(job, spot)->bytes[role > ROLE_EXPERTS][hops[role]];
    out->launch_ticks = job->setup.tensor.launch_ticks;
}

static void give_node(void *context, uint64_t index, struct node *out) {
    struct moe_job *job = context;
    const struct spot spot = spot_of(job, index);
    enum moe_role role = layer_of(job, spot.layer)->roles[spot.k];
    out->ranks = (struct rank_set){.count = job->setup.ranks};
    switch (role) {
    case ROLE_ATTENTION:
    case ROLE_SHARED:
    case ROLE_EXPERTS:
    case ROLE_DENSE:
    case ROLE_HEAD: compute_node(job, &spot, role, out); break;
    case ROLE_GATHER:
    case ROLE_DENSE_GATHER: team_node(job, &spot, true, out); break;
    case ROLE_SCATTER:
    case ROLE_DENSE_SCATTER: team_node(job, &spot, false, out); break;
    default: exchange_node(job, &spot, role, out); break;
    }
    fill_after(job, &spot, out);
}

/// Layers with experts, after the first: where all have the same traffic.
static bool give_row(void *context, uint64_t index, struct node_row *out) {
    const struct moe_job *job = context;
    *out = (struct node_row){.first = layer_start(job, dense_layers(job) + 1),
                             .end = layer_start(job, model_of(job)->layers),
                             .period = (uint64_t)job->sparse.count * job->setup.micro_batches};
    return job->same && index >= out->first && index < out->end;
}

// ---- when it happens

static bool is_dispatch(enum moe_role role) { return role == ROLE_ACROSS || role == ROLE_DIRECT || role == ROLE_FORWARD; }
static bool is_combine(enum moe_role role) { return role >= ROLE_BACK_FORWARD && role <= ROLE_BACK_ACROSS; }

static void add_time(struct moe_times *times, int64_t time) {
    times->sum += time;
    times->count++;
    if (time > times->longest) times->longest = time;
}

static void see_entered(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct moe_job *job = context;
    const struct spot spot = spot_of(job, index);
    enum moe_role role = layer_of(job, spot.layer)->roles[spot.k];
    if (!is_dispatch(role) && !is_combine(role)) return;
    size_t place = (size_t)rank * job->setup.micro_batches + spot.micro_batch;
    struct moe_exchange *exchange = &job->exchanges[place];
    if (exchange->awaited == 0) *exchange = (struct moe_exchange){now, job->config->copies == COPIES_NODE ? MOE_HOPS : 1};
    job->entered[place * MOE_ROLES + role] = now;
}

/// All ranks have left all nodes that use a layer's traffic: it can go, but for one that all layers share.
static void see_used(struct moe_job *job, const struct spot *spot) {
    struct moe_traffic **traffic = &job->traffic[traffic_number(job, spot)];
    uint64_t nodes = job->config->copies == COPIES_NODE ? 2 * MOE_HOPS + 1 : 3;
    if (++(*traffic)->left < nodes * job->setup.ranks || job->same) return;
    moe_traffic_free(*traffic);
    *traffic = NULL;
}

static void see_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct moe_job *job = context;
    const struct spot spot = spot_of(job, index);
    enum moe_role role = layer_of(job, spot.layer)->roles[spot.k];
    if (is_dispatch(role) || is_combine(role)) {
        size_t place = (size_t)rank * job->setup.micro_batches + spot.micro_batch;
        struct moe_exchange *exchange = &job->exchanges[place];
        add_time(&job->times[role], now - job->entered[place * MOE_ROLES + role]);
        if (--exchange->awaited == 0) add_time(&job->whole[is_combine(role)], now - exchange->start);
    }
    if (is_dispatch(role) || is_combine(role) || role == ROLE_EXPERTS) see_used(job, &spot);
}

static void program_done(void *context, uint32_t rank, int64_t now) {
    struct moe_job *job = context;
    job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static void add_role(struct moe_layer *layer, enum moe_role role, bool there) {
    if (there) layer->roles[layer->count++] = role;
}

static void lay_out(struct moe_job *job) {
    bool team = job->setup.tensor.collectives > 0, by_node = job->config->copies == COPIES_NODE;
    struct moe_layer *const kinds[] = {&job->dense, &job->sparse};
    for (int i = 0; i < 2; i++) {
        add_role(kinds[i], ROLE_GATHER, team);
        add_role(kinds[i], ROLE_ATTENTION, true);
        add_role(kinds[i], ROLE_SCATTER, team);
    }
    add_role(&job->dense, ROLE_DENSE_GATHER, team);
    add_role(&job->dense, ROLE_DENSE, true);
    add_role(&job->dense, ROLE_DENSE_SCATTER, team);
    add_role(&job->sparse, ROLE_ACROSS, by_node);
    add_role(&job->sparse, ROLE_DIRECT, true);
    add_role(&job->sparse, ROLE_FORWARD, by_node);
    add_role(&job->sparse, ROLE_SHARED, model_of(job)->shared_experts > 0);
    add_role(&job->sparse, ROLE_EXPERTS, true);
    add_role(&job->sparse, ROLE_BACK_FORWARD, by_node);
    add_role(&job->sparse, ROLE_BACK_DIRECT, true);
    add_role(&job->sparse, ROLE_BACK_ACROSS, by_node);
    add_role(&job->head, ROLE_HEAD, true);
}

struct program *moe_program(struct moe_job *job, const struct workload_place *place, uint32_t order) {
    lay_out(job);
    uint32_t batches = job->setup.micro_batches;
    size_t places = (size_t)job->setup.ranks * batches;
    job->exchanges = allocate_zeroed(places, sizeof *job->exchanges);
    job->entered = allocate_zeroed(places * MOE_ROLES, sizeof *job->entered);
    const struct program_config config = {
        .comm = place->comm,
        .order = order,
        .source = {job, give_node, give_row},
        .count = layer_start(job, model_of(job)->layers) + batches,
        .window = 2 * MOE_ROLES * batches,
        .tells_rounds = place->fewest_rounds > 0 && !place->rounds_of,
        .watch = {job, see_entered, see_left, moe_round_state, moe_round_marked, moe_round_skipped},
        .rank_done = {program_done, job},
    };
    return program_create(&config);
}
