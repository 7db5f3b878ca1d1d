// What a serving run says: rates, latencies by percentile, queues, batches, keys and values, and what was simulated.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/serve_state.h"

struct samples {
    int64_t *values;
    size_t count;
};

static int by_value(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/// Nearest rank: the least value that at least `percent` of all do not exceed.
static int64_t percentile(const struct samples *samples, size_t percent) {
    return samples->values[(samples->count * percent + 99) / 100 - 1];
}

static void report_samples(struct samples *samples, const char *group, struct figures *figures) {
    if (samples->count == 0) return;
    qsort(samples->values, samples->count, sizeof *samples->values, by_value);
    __int128 sum = 0;
    for (size_t i = 0; i < samples->count; i++) sum += samples->values[i];
    figures_time(figures, group, "mean", (int64_t)(sum / (__int128)samples->count));
    figures_time(figures, group, "p50", percentile(samples, 50));
    figures_time(figures, group, "p90", percentile(samples, 90));
    figures_time(figures, group, "p99", percentile(samples, 99));
    figures_time(figures, group, "most", samples->values[samples->count - 1]);
}

static bool span(int64_t from, int64_t to, int64_t *ticks) {
    *ticks = to - from;
    return from >= 0 && to >= 0;
}

static bool queueing(const struct llm_request *request, const struct request_state *state, int64_t *ticks) {
    (void)request;
    return span(state->arrival, state->prefill_start, ticks);
}

static bool first_token(const struct llm_request *request, const struct request_state *state, int64_t *ticks) {
    (void)request;
    return span(state->arrival, state->first_token, ticks);
}

static bool memory_wait(const struct llm_request *request, const struct request_state *state, int64_t *ticks) {
    (void)request;
    return span(state->first_token, state->transfer_start, ticks);
}

static bool transfer(const struct llm_request *request, const struct request_state *state, int64_t *ticks) {
    (void)request;
    return span(state->transfer_start, state->transfer_end, ticks);
}

static bool each_token(const struct llm_request *request, const struct request_state *state, int64_t *ticks) {
    if (request->output < 2 || !span(state->first_token, state->end, ticks)) return false;
    *ticks /= request->output - 1;
    return true;
}

static bool whole(const struct llm_request *request, const struct request_state *state, int64_t *ticks) {
    (void)request;
    return span(state->arrival, state->end, ticks);
}

/// `find` tells a span of a request's life; false where it has none, or not yet.
static void report_spans(const struct serve_job *job, const char *group,
                         bool (*find)(const struct llm_request *request, const struct request_state *state, int64_t *ticks),
                         struct figures *figures) {
    struct samples samples = {.values = allocate(job->requests.count * sizeof *samples.values)};
    for (size_t i = 0; i < job->requests.count; i++) {
        struct request_state state = job->states[i];
        if (state.prefill_start >= 0) state.arrival = ticks_after(state.arrival, job->start);
        samples.count += find(&job->requests.items[i], &state, &samples.values[samples.count]);
    }
    report_samples(&samples, group, figures);
    free(samples.values);
}

static void report_requests(const struct serve_job *job, struct figures *figures) {
    static const char group[] = "requests";
    int64_t input = 0, output = 0, ticks = job->end - job->start;
    for (size_t i = 0; i < job->requests.count; i++) {
        input += job->states[i].first_token >= 0 ? job->requests.items[i].input : 0;
        output += job->states[i].generated;
    }
    if (job->done < job->requests.count) ticks = communicator_now(job->comm) - job->start;
    figures_count(figures, group, "requests", (int64_t)job->requests.count);
    figures_count(figures, group, "done", (int64_t)job->done);
    if (job->config->on_bad_line == BAD_LINE_SKIP) {
        figures_count(figures, group, "skipped, malformed", (int64_t)job->requests.malformed);
        figures_count(figures, group, "skipped, too large", (int64_t)job->requests.too_large);
    }
    figures_time(figures, group, "last arrival", job->states[job->requests.count - 1].arrival);
    figures_time(figures, group, "time", ticks);
    figures_count(figures, group, "tokens in", input);
    figures_count(figures, group, "tokens out", output);
    figures_frequency(figures, group, "requests per second", (int64_t)job->done, ticks);
    figures_frequency(figures, group, "tokens in per second", input, ticks);
    figures_frequency(figures, group, "tokens out per second", output, ticks);
}

/// Instances of one kind together.
struct group_sums {
    uint64_t instances, iterations, batch_sum, batch_most, prefill_iterations, prefill_tokens;
    int64_t busy, capacity;
    uint32_t tp;
};

static void report_group(const struct serve_job *job, const char *group, uint32_t first, uint32_t end, struct figures *figures) {
    struct group_sums sums = {0};
    for (uint32_t i = first; i < end; i++) {
        const struct instance *instance = &job->instances[i];
        sums.instances++, sums.iterations += instance->iterations, sums.batch_sum += instance->batch_sum;
        sums.prefill_iterations += instance->prefill_iterations, sums.prefill_tokens += instance->prefill_tokens;
        sums.busy += instance->busy_ticks / (end - first);
        sums.capacity = instance->kv_capacity, sums.tp = instance->tensor.degree;
        if (instance->batch_most > sums.batch_most) sums.batch_most = instance->batch_most;
    }
    figures_count(figures, group, "instances", (int64_t)sums.instances);
    figures_count(figures, group, "ranks each", sums.tp);
    figures_count(figures, group, "tokens that fit each", sums.capacity);
    figures_share(figures, group, "busy", sums.busy, job->end - job->start);
    if (job->instances[first].prefills) {
        figures_count(figures, group, "prefill batches", (int64_t)sums.prefill_iterations);
        figures_ratio(figures, group, "tokens a prefill batch", (int64_t)sums.prefill_tokens, (int64_t)sums.prefill_iterations);
    }
    if (!job->instances[first].decodes) return;
    figures_count(figures, group, "decode iterations", (int64_t)sums.iterations);
    figures_ratio(figures, group, "sequences a decode iteration", (int64_t)sums.batch_sum, (int64_t)sums.iterations);
    figures_count(figures, group, "most sequences", (int64_t)sums.batch_most);
}

static void report_cache(const struct serve_job *job, struct figures *figures) {
    static const char group[] = "keys and values";
    int64_t reused = 0, prompt = 0, token_bytes = inference_kv_token_bytes(&job->instances[0].inference);
    for (size_t i = 0; i < job->requests.count; i++) {
        reused += job->states[i].reused;
        prompt += job->states[i].prefill_start >= 0 ? job->requests.items[i].input : 0;
    }
    figures_count(figures, group, "transfers", (int64_t)job->transfer_count);
    figures_bytes(figures, group, "moved", job->kv_bytes_moved);
    figures_count(figures, group, "tokens reused", reused);
    figures_share(figures, group, "share of prompts reused", reused, prompt);
    figures_bytes(figures, group, "saved by prefix reuse", reused * token_bytes);
}

static void report_replay(const struct serve_job *job, struct figures *figures) {
    static const char group[] = "simulated and replayed";
    int64_t replayed = (int64_t)communicator_saved(job->comm).chunk_hops;
    int64_t all = (int64_t)communicator_chunk_hops(job->comm);
    figures_count(figures, group, "chunk-hops simulated", all - replayed);
    figures_count(figures, group, "chunk-hops replayed", replayed);
    figures_share(figures, group, "share replayed", replayed, all);
    figures_count(figures, group, "halves of layers simulated", (int64_t)job->halves_simulated);
    figures_count(figures, group, "halves of layers replayed", (int64_t)job->halves_replayed);
    uint32_t barred = 0;
    for (uint32_t i = 0; i < job->instance_count; i++) barred += !job->instances[i].replays && job->instances[i].tensor.collectives > 0;
    if (job->config->replay) figures_count(figures, group, "instances that cannot replay", barred);
}

// ---- the hottest links over time

/// Which link was busiest in each of some equal parts of the trace. What is replayed counts where a replay ends.
struct link_windows {
    struct serve_job *job;
    int64_t width, count, seen;
    int64_t *busy; ///< per link, at the last edge
    struct window {
        uint32_t link;
        int64_t busy;
        uint64_t bytes;
    } * windows;
    uint64_t *bytes;
};

static void see_window(void *context, uint32_t number, int64_t now) {
    struct link_windows *windows = context;
    struct serve_job *job = windows->job;
    struct window *window = &windows->windows[windows->seen++];
    (void)now;
    for (uint32_t l = 0; l < job->network.link_count; l++) {
        const struct link_totals totals = communicator_link_totals(job->comm, l);
        int64_t busy = totals.busy_ticks - windows->busy[l];
        if (busy > window->busy) *window = (struct window){l, busy, totals.bytes - windows->bytes[l]};
        windows->busy[l] = totals.busy_ticks;
        windows->bytes[l] = totals.bytes;
    }
    if (windows->seen < windows->count)
        communicator_timer(job->comm, 0, job->start + windows->width * (windows->seen + 1), (struct done_call){see_window, windows},
                           number);
}

struct link_windows *link_windows_create(struct serve_job *job) {
    struct link_windows *windows = allocate_zeroed(1, sizeof *windows);
    windows->job = job;
    windows->count = job->config->windows;
    windows->width = job->states[job->requests.count - 1].arrival / windows->count + 1;
    windows->busy = allocate_zeroed(job->network.link_count, sizeof *windows->busy);
    windows->bytes = allocate_zeroed(job->network.link_count, sizeof *windows->bytes);
    windows->windows = allocate_zeroed((size_t)windows->count, sizeof *windows->windows);
    communicator_timer(job->comm, 0, job->start + windows->width, (struct done_call){see_window, windows}, 0);
    return windows;
}

void link_windows_free(struct link_windows *windows) {
    if (!windows) return;
    free(windows->busy);
    free(windows->bytes);
    free(windows->windows);
    free(windows);
}

static void report_windows(const struct link_windows *windows, struct figures *figures) {
    const struct serve_job *job = windows->job;
    for (int64_t i = 0; i < windows->seen; i++) {
        const struct window *window = &windows->windows[i];
        char from[QUANTITY_SIZE], name[QUANTITY_SIZE + 8], link[LINK_NAME_SIZE], text[160], bytes[QUANTITY_SIZE];
        snprintf(name, sizeof name, "from %s", format_time(windows->width * i, job->ticks_per_s, from));
        snprintf(text, sizeof text, "%s, %.1f %%, %s",
                 window->busy ? job->network.link_name(job->network.context, window->link, link) : "none",
                 100 * (double)window->busy / (double)windows->width, format_bytes((double)window->bytes, bytes));
        figures_text(figures, "busiest link over time", name, text);
    }
}

void serve_report(const struct job *untyped, struct figures *figures) {
    const struct serve_job *job = (const struct serve_job *)untyped;
    report_requests(job, figures);
    report_spans(job, "time to first token", first_token, figures);
    report_spans(job, "time per output token", each_token, figures);
    report_spans(job, "end to end", whole, figures);
    report_spans(job, "queueing for prefill", queueing, figures);
    if (job->shares) {
        report_spans(job, "waiting for memory to decode in", memory_wait, figures);
        report_spans(job, "transfer of keys and values", transfer, figures);
    }
    report_group(job, job->shares ? "prefill instances" : "instances", 0, job->prefill_count, figures);
    if (job->shares) report_group(job, "decode instances", job->prefill_count, job->instance_count, figures);
    report_cache(job, figures);
    report_replay(job, figures);
    if (job->windows) report_windows(job->windows, figures);
    inference_report(&job->instances[0].inference, figures);
}
