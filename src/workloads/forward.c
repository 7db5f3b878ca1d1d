#include "workloads/forward.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { SHOWN_LAYERS = 2, SHOWN_MOST = 64 };

static struct layer_block block_of(const struct forward_job *job, uint64_t pass) {
    return (struct layer_block){
        .inference = &job->inference,
        .tensor = &job->tensor,
        .ranks = {.count = job->ranks},
        .layers = job->inference.model.layers,
        .parts = job->source.parts,
        .part = &job->parts[pass * job->source.parts],
        .head = true,
    };
}

bool forward_accepts(const struct inference_config *inference, const struct tensor_config *tensor, const struct workload_place *place,
                     int64_t cached_tokens, struct error *err) {
    struct inference resolved;
    struct tensor team;
    if (!tensor_resolve(tensor, place, place->ranks, &team, err)) return false;
    if (!inference_resolve(inference, team.degree, place->ticks_per_s, &resolved, err)) return false;
    const struct holding holding = {0, resolved.model.layers, true, true, cached_tokens};
    return inference_fits(&resolved, &holding, err);
}

static bool price_part(const struct forward_source *source, const struct inference *inference, uint64_t index, struct layer_part *out,
                       struct error *err) {
    uint64_t pass_index = index / source->parts;
    const struct pass pass = source->pass(source->config, pass_index, (uint32_t)(index % source->parts));
    out->tokens = pass.tokens;
    return pass_price(inference, &pass, &out->ticks, err);
}

bool forward_check(const struct forward_source *source, const struct inference_config *inference, const struct tensor_config *tensor,
                   const struct workload_place *place, struct error *err) {
    struct inference resolved;
    struct tensor team;
    struct layer_part part;
    if (!tensor_resolve(tensor, place, place->ranks, &team, err)) return false;
    if (!inference_resolve(inference, team.degree, place->ticks_per_s, &resolved, err)) return false;
    for (uint64_t i = 0; i < source->passes * source->parts; i++)
        if (!price_part(source, &resolved, i, &part, err)) return false;
    return true;
}

uint64_t forward_repeats(const struct forward_source *source, const struct inference_config *inference, bool *overlaps) {
    struct inference resolved;
    struct error err = {0};
    *overlaps = *overlaps || source->parts > 1;
    if (!inference_resolve(inference, 1, INT64_C(1000000000000000), &resolved, &err)) return 1;
    return source->passes * source->parts * 2 * (uint64_t)resolved.model.layers;
}

static void give_node(void *context, uint64_t index, struct node *out) {
    const struct forward_job *job = context;
    const struct layer_block block = block_of(job, index / job->pass_nodes);
    layer_block_node(&block, index % job->pass_nodes, out);
}

/// Layers of a pass, but for those that are shown.
static bool give_row(void *context, uint64_t index, struct node_row *out) {
    const struct forward_job *job = context;
    uint64_t pass = index / job->pass_nodes, start = pass * job->pass_nodes;
    const struct layer_block block = block_of(job, pass);
    if (!layer_block_row(&block, index - start, out)) return false;
    out->first += start, out->end += start;
    while (out->first < job->shown) out->first += out->period;
    return index >= out->first && index < out->end;
}

static void see_entered(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct forward_job *job = context;
    if (rank == 0 && index < job->shown) job->entered[index] = now;
}

static void see_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct forward_job *job = context;
    if (rank == 0 && index < job->shown) job->left[index] = now;
    if ((index + 1) % job->pass_nodes) return;
    int64_t *end = &job->pass_end[index / job->pass_nodes];
    if (now > *end) *end = now;
}

static void rank_done(void *context, uint32_t rank, int64_t now) {
    struct forward_job *job = context;
    job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static void make_program(struct forward_job *job, const struct workload_place *place, uint32_t order) {
    const struct layer_block block = block_of(job, 0);
    job->pass_nodes = layer_block_nodes(&block);
    size_t half = job->source.parts * (1 + (size_t)job->tensor.collectives);
    job->shown = 2 * SHOWN_LAYERS * half;
    if (job->shown > job->pass_nodes) job->shown = (size_t)job->pass_nodes;
    if (job->shown > SHOWN_MOST) job->shown = SHOWN_MOST;
    job->entered = allocate_zeroed(job->shown, sizeof *job->entered);
    job->left = allocate_zeroed(job->shown, sizeof *job->left);
    const struct program_config config = {
        .comm = place->comm,
        .order = order,
        .source = {job, give_node, give_row},
        .count = job->source.passes * job->pass_nodes,
        .window = (uint32_t)(4 * half),
        .tells_rounds = place->fewest_rounds > 0 && !place->rounds_of,
        .watch = {.context = job, .entered = see_entered, .left = see_left},
        .rank_done = {rank_done, job},
    };
    job->program = program_create(&config);
}

void forward_prepare(struct forward_job *job, const struct inference_config *inference, const struct tensor_config *tensor,
                     const struct workload_place *place, uint32_t order) {
    struct error err = {0};
    job->ranks = place->ranks;
    bool ok = tensor_resolve(tensor, place, place->ranks, &job->tensor, &err) &&
              inference_resolve(inference, job->tensor.degree, place->ticks_per_s, &job->inference, &err);
    uint64_t parts = job->source.passes * job->source.parts;
    job->parts = allocate_zeroed(parts, sizeof *job->parts);
    for (uint64_t i = 0; i < parts && ok; i++) ok = price_part(&job->source, &job->inference, i, &job->parts[i], &err);
    if (!ok) fatal("a workload was not checked: %s", err.text);
    for (uint64_t i = 0; i < parts; i++)
        tensor_choose(&job->tensor, place, inference_activation_bytes(&job->inference, job->parts[i].tokens), job->parts[i].algorithms);
    job->pass_end = allocate_zeroed(job->source.passes, sizeof *job->pass_end);
    job->start_ticks = -1;
    make_program(job, place, order);
}

void forward_start(struct job *untyped, uint32_t rank) {
    struct forward_job *job = (struct forward_job *)untyped;
    program_start(job->program, rank);
    int64_t start = program_account(job->program, rank).start;
    if (job->start_ticks < 0 || start < job->start_ticks) job->start_ticks = start;
}

void forward_describe(const struct job *job, char *out, size_t out_size) {
    program_describe(((const struct forward_job *)job)->program, out, out_size);
}

void forward_release(struct job *untyped) {
    struct forward_job *job = (struct forward_job *)untyped;
    program_free(job->program);
    free(job->parts);
    free(job->pass_end);
    free(job->entered);
    free(job->left);
    free(job);
}

int64_t forward_time(const struct forward_job *job, uint64_t first, uint64_t last) {
    if (job->pass_end[last] == 0) return 0;
    return job->pass_end[last] - (first > 0 ? job->pass_end[first - 1] : job->start_ticks);
}

int64_t forward_compute(const struct forward_job *job, uint64_t first, uint64_t last) {
    const struct model *model = &job->inference.model;
    int64_t total = 0;
    for (uint64_t i = first * job->source.parts; i < (last + 1) * job->source.parts; i++) {
        const struct pass_ticks *ticks = &job->parts[i].ticks;
        int64_t moe = 0;
        for (int64_t layer = 0; layer < model->layers; layer++) moe += model_layer_has_experts(model, layer);
        total += model->layers * ticks->attention + (model->layers - moe) * ticks->dense + moe * ticks->moe + ticks->head;
    }
    return total;
}

/// The account of the rank that was busy the longest.
static struct program_account slowest_account(const struct forward_job *job) {
    struct program_account slowest = program_account(job->program, 0);
    for (uint32_t r = 1; r < job->ranks; r++) {
        struct program_account account = program_account(job->program, r);
        if (account.end - account.start > slowest.end - slowest.start) slowest = account;
    }
    return slowest;
}

static void report_times(const char *group, const struct program_account *account, int64_t passes, struct figures *figures) {
    figures_time(figures, group, "time", (account->end - account->start) / passes);
    figures_time(figures, group, "compute", account->compute / passes);
    figures_time(figures, group, "communication", account->communication / passes);
    figures_time(figures, group, "exposed communication", account->exposed / passes);
    figures_time(figures, group, "overlapped communication", (account->communication - account->exposed) / passes);
}

static void report_timeline(const struct forward_job *job, struct figures *figures) {
    const struct layer_block block = block_of(job, 0);
    char name[LAYER_NAME_SIZE];
    for (size_t k = 0; k < job->shown; k++)
        figures_span(figures, "first layers on rank 0", layer_block_name(&block, k, name), job->entered[k], job->left[k]);
}

void forward_report(const struct forward_job *job, const char *noun, struct figures *figures) {
    const struct program_account account = slowest_account(job);
    const struct layer_block block = block_of(job, 0);
    char group[64];
    figures_count(figures, "whole run", noun, (int64_t)job->source.passes);
    report_times("whole run", &account, 1, figures);
    figures_share(figures, "whole run", "share of exposed communication", account.exposed, account.end - account.start);
    figures_ratio(figures, "whole run", "communication over compute", account.communication, account.compute);
    snprintf(group, sizeof group, "mean of %s", noun);
    if (job->source.passes > 1) report_times(group, &account, (int64_t)job->source.passes, figures);
    tensor_report(&block, figures);
    if (job->tensor.collectives > 0)
        figures_time(figures, "collectives of a pass", "mean time",
                     account.communication / ((int64_t)job->source.passes * 2 * block.layers * block.parts * job->tensor.collectives));
    report_timeline(job, figures);
    inference_report(&job->inference, figures);
}
