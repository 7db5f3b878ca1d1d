#include <stdio.h>

#include "workloads/moe.h"

static struct program_account slowest_account(const struct moe_job *job) {
    struct program_account slowest = program_account(job->program, 0);
    for (uint32_t r = 1; r < job->setup.ranks; r++) {
        const struct program_account account = program_account(job->program, r);
        if (account.end - account.start > slowest.end - slowest.start) slowest = account;
    }
    return slowest;
}

static void report_run(const struct moe_job *job, struct figures *figures) {
    static const char group[] = "whole run";
    const struct program_account account = slowest_account(job);
    int64_t time = account.end - account.start;
    figures_count(figures, group, "tokens of each rank", job->config->tokens);
    figures_count(figures, group, "layers with experts", job->setup.moe_layers);
    figures_count(figures, group, "micro batches", job->setup.micro_batches);
    figures_time(figures, group, "time", time);
    figures_time(figures, group, "time a layer", time / job->setup.inference.model.layers);
    figures_time(figures, group, "compute", account.compute);
    figures_time(figures, group, "communication", account.communication);
    figures_time(figures, group, "exposed communication", account.exposed);
    figures_time(figures, group, "overlapped communication", account.communication - account.exposed);
    figures_share(figures, group, "share of exposed communication", account.exposed, time);
}

/// What a rank waits for: from the start of its first hop to the end of its last.
static void report_times(const char *group, const char *what, const struct moe_times *times, struct figures *figures) {
    char name[64];
    if (times->count == 0) return;
    snprintf(name, sizeof name, "mean %s", what);
    figures_time(figures, group, name, times->sum / times->count);
    snprintf(name, sizeof name, "longest %s", what);
    figures_time(figures, group, name, times->longest);
}

static void report_exchange(const struct moe_job *job, int way, struct figures *figures) {
    static const struct {
        const char *group;
        enum moe_role across, direct, forward;
    } ways[] = {{"dispatch", ROLE_ACROSS, ROLE_DIRECT, ROLE_FORWARD}, {"combine", ROLE_BACK_ACROSS, ROLE_BACK_DIRECT, ROLE_BACK_FORWARD}};
    const char *group = ways[way].group;
    const struct moe_load *load = &job->load;
    int64_t times = job->setup.moe_layers * job->setup.ranks;
    int64_t all = load->inside[way] + load->across[way];
    bool by_node = job->config->copies == COPIES_NODE;
    figures_text(figures, group, "format", dtype_names[way ? job->config->combine_dtype : job->config->dispatch_dtype]);
    figures_bytes(figures, group, "bytes inside nodes", load->inside[way]);
    figures_bytes(figures, group, "bytes across nodes", load->across[way]);
    figures_bytes(figures, group, "bytes of a rank and layer inside nodes", load->inside[way] / times);
    figures_bytes(figures, group, "bytes of a rank and layer across nodes", load->across[way] / times);
    figures_share(figures, group, "share across nodes", load->across[way], all);
    report_times(group, "time", &job->whole[way], figures);
    if (by_node) report_times(group, "time across nodes", &job->times[ways[way].across], figures);
    if (by_node) report_times(group, "time inside own node", &job->times[ways[way].direct], figures);
    if (by_node) report_times(group, "time inside the other node", &job->times[ways[way].forward], figures);
}

struct extent {
    uint32_t most; ///< who has the most
    int64_t sum;
};

static struct extent extent_of(const int64_t *values, uint32_t count) {
    struct extent extent = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] > values[extent.most]) extent.most = i;
        extent.sum += values[i];
    }
    return extent;
}

static void report_balance(const struct moe_job *job, struct figures *figures) {
    static const char group[] = "balance";
    const struct moe_load *load = &job->load;
    int64_t ranks = job->setup.ranks, layers = job->setup.moe_layers;
    const struct extent tokens = extent_of(load->tokens, job->setup.ranks), into = extent_of(load->into, job->setup.ranks);
    figures_count(figures, group, "busiest device", tokens.most);
    figures_ratio(figures, group, "its tokens over the mean of devices", load->tokens[tokens.most] * ranks, tokens.sum);
    figures_ratio(figures, group, "tokens of a layer, its busiest device over the mean", load->most_tokens * ranks, tokens.sum);
    figures_ratio(figures, group, "the same of the worst layer", load->worst * ranks, load->worst_of);
    figures_ratio(figures, group, "bytes dispatched to a device, most over the mean", load->into[into.most] * ranks, into.sum);
    figures_time(figures, group, "experts of a layer, mean of devices", load->ticks / ranks / layers);
    figures_time(figures, group, "experts of a layer, its busiest device", load->most_ticks / layers);
    figures_ratio(figures, group, "experts slowed by the busiest device", load->most_ticks, load->ticks / ranks);
}

void moe_report(const struct moe_job *job, struct figures *figures) {
    report_run(job, figures);
    report_exchange(job, 0, figures);
    report_exchange(job, 1, figures);
    report_balance(job, figures);
    figures_count(figures, "assumed", "expert parallel devices", job->setup.ep);
    figures_count(figures, "assumed", "devices a node", job->setup.node_size);
    inference_report(&job->setup.inference, figures);
}
