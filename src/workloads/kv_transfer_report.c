#include <stdio.h>

#include "workloads/kv_transfer.h"

enum { PROMPTS_LISTED = 32 };

/// What reports say of one prompt, or of all together: sums.
struct totals {
    int64_t prompts, tokens, kept, sent; ///< bytes: each head once; with every copy that receivers keep
    int64_t prefill, compute, transfer, exposed;
};

static int64_t bytes_sent(const struct kv_transfer_job *job, const struct kv_block *block) {
    const struct kv_groups groups = {job->setup.route.prefill.tp, job->setup.route.decode.tp};
    int64_t bytes = 0;
    for (uint32_t i = 0; i < groups.senders; i++)
        for (uint32_t j = 0; j < groups.receivers; j++) bytes += kv_flow_bytes(block, groups, i, j);
    return bytes * job->setup.prefill.inference.model.layers;
}

/// Nothing of a prompt that a limit cut short.
static void add_prompt(const struct kv_transfer_job *job, const struct kv_prompt *prompt, struct totals *totals) {
    if (prompt->awaited > 0) return;
    const struct inference *inference = &job->setup.prefill.inference;
    const struct kv_block block = kv_block_of(inference, 1, prompt->part.tokens);
    totals->prompts++;
    totals->tokens += prompt->part.tokens;
    totals->kept += kv_block_bytes(&block) * inference->model.layers;
    totals->sent += bytes_sent(job, &block);
    totals->prefill += prompt->prefill_end - prompt->start;
    totals->compute += prompt->compute_ticks;
    totals->transfer += prompt->arrival - prompt->send_start;
    totals->exposed += prompt->arrival > prompt->prefill_end ? prompt->arrival - prompt->prefill_end : 0;
}

static void report_totals(const char *group, const struct totals *totals, struct figures *figures) {
    figures_count(figures, group, "tokens", totals->tokens);
    figures_bytes(figures, group, "keys and values", totals->kept);
    figures_bytes(figures, group, "bytes sent", totals->sent);
    figures_time(figures, group, "prefill", totals->prefill);
    figures_time(figures, group, "prefill compute", totals->compute);
    figures_time(figures, group, "transfer", totals->transfer);
    figures_time(figures, group, "after the prefill", totals->exposed);
    figures_time(figures, group, "prefill and what follows", totals->prefill + totals->exposed);
    figures_rate(figures, group, "rate of the transfer", totals->sent, totals->transfer);
    figures_ratio(figures, group, "transfer over prefill compute", totals->transfer, totals->compute);
    figures_ratio(figures, group, "exposed over prefill compute", totals->exposed, totals->compute);
}

/// Of the steps that ended: the shortest, the mean and the longest.
static void report_steps(const struct kv_transfer_job *job, struct figures *figures) {
    static const char group[] = "decoding meanwhile";
    int64_t shortest = INT64_MAX, longest = 0, before = program_account(job->decode, job->setup.route.decode.first).start, done = 0;
    int64_t begin = before;
    for (; done < job->config->decode_steps && job->step_end[done] > 0; done++) {
        int64_t time = job->step_end[done] - before;
        if (time < shortest) shortest = time;
        if (time > longest) longest = time;
        before = job->step_end[done];
    }
    figures_count(figures, group, "steps", done);
    if (done == 0) return;
    figures_time(figures, group, "shortest step", shortest);
    figures_time(figures, group, "mean step", (before - begin) / done);
    figures_time(figures, group, "longest step", longest);
}

static void report_groups(const struct kv_transfer_job *job, struct figures *figures) {
    static const char group[] = "groups";
    const struct kv_route *route = &job->setup.route;
    figures_count(figures, group, "prefill instances", kv_instances(&route->prefill));
    figures_count(figures, group, "prefill ranks an instance", route->prefill.tp);
    figures_count(figures, group, "decode instances", kv_instances(&route->decode));
    figures_count(figures, group, "decode ranks an instance", route->decode.tp);
    if (route->nics) figures_count(figures, group, "NICs an instance", route->nics);
}

void kv_transfer_report(const struct kv_transfer_job *job, struct figures *figures) {
    struct totals all = {0};
    for (size_t i = 0; i < job->prompt_count; i++) add_prompt(job, &job->prompts[i], &all);
    figures_count(figures, "whole run", "prompts", all.prompts);
    if (all.prompts > 0) report_totals(job->prompt_count > 1 ? "sum of prompts" : "whole run", &all, figures);
    for (size_t i = 0; job->prompt_count > 1 && i < job->prompt_count && i < PROMPTS_LISTED; i++) {
        struct totals one = {0};
        char group[64];
        add_prompt(job, &job->prompts[i], &one);
        snprintf(group, sizeof group, "prompt %zu", i);
        if (one.prompts > 0) report_totals(group, &one, figures);
    }
    if (job->decode) report_steps(job, figures);
    report_groups(job, figures);
    inference_report(&job->setup.prefill.inference, figures);
}
