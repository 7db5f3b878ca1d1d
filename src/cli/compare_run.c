#include "cli/compare_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/outcome.h"
#include "report/links.h"

void compare_plan_make(struct compare_plan *plan, const struct options *options, const struct source *source, const struct vary *vary) {
    struct comparison *comparison = &plan->comparison;
    *plan = (struct compare_plan){.options = options, .source = source, .vary = vary, .parent = getpid()};
    comparison->axes = vary->count;
    comparison->count = vary_points(vary);
    comparison->keys = allocate(vary->count * sizeof *comparison->keys);
    comparison->points = allocate_zeroed(comparison->count, sizeof *comparison->points);
    plan->first_job = allocate(comparison->count * sizeof *plan->first_job);
    for (size_t a = 0; a < vary->count; a++) comparison->keys[a] = vary->axes[a].key;
    for (size_t p = 0; p < comparison->count; p++) {
        struct compare_point *point = &comparison->points[p];
        point->count = vary_runs(vary, p);
        point->runs = allocate_zeroed(point->count, sizeof *point->runs);
        point->values = allocate(vary->count * sizeof *point->values);
        for (size_t a = 0; a < vary->count; a++) point->values[a] = vary_value_at(vary, p, a)->text;
        plan->first_job[p] = plan->jobs;
        plan->jobs += point->count;
    }
    plan->job_point = allocate(plan->jobs * sizeof *plan->job_point);
    for (size_t p = 0; p < comparison->count; p++)
        for (size_t i = 0; i < comparison->points[p].count; i++) plan->job_point[plan->first_job[p] + i] = p;
}

void compare_plan_free(struct compare_plan *plan) {
    for (size_t p = 0; p < plan->comparison.count; p++) {
        free(plan->comparison.points[p].runs);
        free(plan->comparison.points[p].values);
    }
    free(plan->comparison.points);
    free(plan->comparison.keys);
    free(plan->job_point);
    free(plan->first_job);
    *plan = (struct compare_plan){0};
}

static int64_t assign_job(const struct compare_plan *plan, size_t job, struct texts *assignments) {
    size_t point = plan->job_point[job];
    return vary_assign(plan->vary, point, job - plan->first_job[point], assignments);
}

bool compare_load(const struct compare_plan *plan, size_t job, FILE *messages, struct loaded *out) {
    struct texts assignments = {0};
    assign_job(plan, job, &assignments);
    bool good = source_load(plan->source, &assignments, messages, out);
    texts_free(&assignments);
    return good;
}

/// A worker whose parent is gone works for nobody.
static bool parent_lives(void *context, int64_t now_ticks, uint64_t chunk_hops) {
    (void)now_ticks, (void)chunk_hops;
    return getppid() == ((const struct compare_plan *)context)->parent;
}

static bool run_job(const struct compare_plan *plan, const struct loaded *loaded, struct run_result *result, struct error *err) {
    struct run_limits limits;
    if (!limits_from_options(plan->options, loaded->scenario->ticks_per_s, &limits, err)) return false;
    if (limits.threads == 0) limits.threads = 1; // it is the jobs that run side by side
    limits.progress = parent_lives;
    limits.context = (void *)plan;
    return experiment_run(&loaded->experiment, &limits, NULL, result, err);
}

/// Per link, how many pairs of ring neighbours (rank r to r+1) have it on their route.
static uint32_t *count_neighbours(const struct experiment *experiment) {
    const struct graph *graph = &experiment->topology->graph;
    uint32_t most = graph_nodes(graph); // a route visits no node twice
    uint32_t *counts = allocate_zeroed(graph->link_count, sizeof *counts), *route = allocate(most * sizeof *route);
    for (uint32_t r = 0; experiment->ranks > 1 && r < experiment->ranks; r++) {
        uint32_t next = experiment->place[(r + 1) % experiment->ranks];
        uint32_t hops = topology_route(experiment->topology, experiment->place[r], next, 0, 0, route, most);
        for (uint32_t i = 0; i < hops; i++) counts[route[i]]++;
    }
    free(route);
    return counts;
}

/// Copies text, cut where it is too long but never inside a UTF-8 sequence.
static void copy_cut(char *out, size_t size, const char *text) {
    size_t length = strlen(text);
    if (length >= size)
        for (length = size - 1; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--) continue;
    memcpy(out, text, length);
    out[length] = '\0';
}

static void copy_name(const struct run_result *result, uint32_t node, char out[COMPARE_NAME_SIZE]) {
    char number[NODE_NAME_SIZE];
    copy_cut(out, COMPARE_NAME_SIZE, node_shown_name(result, node, number));
}

static void keep_hottest(const struct experiment *experiment, const struct run_result *result, struct compare_run *out) {
    uint32_t hottest[COMPARE_LINKS_MOST], *neighbours = count_neighbours(experiment);
    out->most_bytes = heat_most(result, HEAT_BYTES);
    out->most_queue_bytes = heat_most(result, HEAT_QUEUE);
    out->link_count = hottest_links(result, COMPARE_LINKS_MOST, hottest);
    for (uint32_t i = 0; i < out->link_count; i++) {
        const struct link_result all = link_result_of(result, hottest[i]), *link = &all;
        struct compare_link *kept = &out->links[i];
        *kept = (struct compare_link){
            .port = link->port,
            .neighbours = neighbours[hottest[i]],
            .bytes = link->bytes,
            .chunks = link->chunks,
            .busy_ticks = link->busy_ticks,
            .peak_queue_bytes = link->peak_queue_bytes,
            .utilization = link_utilization(result, link),
        };
        copy_name(result, link->from, kept->from);
        copy_name(result, link->to, kept->to);
    }
    free(neighbours);
}

/// "ring", "bidirectional-ring", "pipelined-ring": rank r sends to r+1, so neighbours that share a link share its rate.
static bool runs_on_ring(const struct run_result *result) {
    static const char ending[] = "ring";
    for (size_t i = 0; i < result->collective_count; i++) {
        const char *name = result->collectives[i].algorithm->name;
        size_t length = strlen(name);
        if (length >= strlen(ending) && !strcmp(name + length - strlen(ending), ending)) return true;
    }
    return false;
}

static void keep_result(const struct experiment *experiment, const struct run_result *result, struct compare_run *out) {
    bool one = result->collective_count == 1 && result->status == RUN_COMPLETE;
    out->state = COMPARE_RAN;
    out->status = result->status;
    out->ticks_per_s = result->ticks_per_s;
    out->makespan_ticks = result->makespan_ticks;
    out->algbw = one ? collective_algbw(result, result->collectives) : (double)NAN;
    out->busbw = one ? collective_busbw(result, result->collectives) : (double)NAN;
    out->ring = runs_on_ring(result);
    out->ranks = result->ranks;
    out->digest = result->digest, out->no_digest = result->no_digest;
    copy_cut(out->reason, sizeof out->reason, result->error.text);
    keep_hottest(experiment, result, out);
}

static int64_t seed_of(const struct compare_plan *plan, size_t job) {
    struct texts assignments = {0};
    int64_t seed = assign_job(plan, job, &assignments);
    texts_free(&assignments);
    return seed;
}

void compare_simulate(const struct compare_plan *plan, size_t job, struct compare_run *out) {
    struct loaded loaded;
    struct run_result result = {0};
    struct error err = {0};
    memset(out, 0, sizeof *out);
    out->state = COMPARE_FAILED;
    out->seed = seed_of(plan, job);
    if (!compare_load(plan, job, stderr, &loaded)) return;
    if (run_job(plan, &loaded, &result, &err))
        keep_result(&loaded.experiment, &result, out);
    else
        copy_cut(out->reason, sizeof out->reason, err.text);
    run_result_free(&result);
    loaded_free(&loaded);
}

bool compare_draw(const struct compare_plan *plan, size_t job, const struct picture *picture, struct svg_panel *out) {
    struct loaded loaded;
    struct run_result result = {0};
    struct error err = {0};
    if (!compare_load(plan, job, stderr, &loaded)) return false;
    bool good = run_job(plan, &loaded, &result, &err);
    if (good) *out = picture_draw(picture, &loaded.experiment, &result);
    run_result_free(&result);
    loaded_free(&loaded);
    return good;
}
