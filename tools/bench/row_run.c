// Runs one row: what is timed is what a run of weft does between the network's being there and the last delivery.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algos/communicator.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/units.h"
#include "row.h"
#include "scenario/problems.h"
#include "scenario/scenario.h"
#include "scenario_run.h"

/// All that one run holds.
struct bench {
    const struct row *row;
    struct scenario *scenario; ///< owns the topology's description
    struct topology *topology;
    struct communicator *comm;
    uint32_t *place;
    uint32_t ranks;
    int64_t *times;    ///< ROW_RANDOM: per rank its sorted times of posting, then NOT_AGAIN
    uint32_t *next;    ///< ROW_RANDOM: per rank, in `times`
    uint32_t *targets; ///< ROW_PERMUTATION: per rank; ROW_RANDOM: at each time
};

static int64_t cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The topology is described as in a scenario; the workload of the scenario is not used.
static bool build_topology(struct bench *bench, struct error *err) {
    char text[512];
    int length =
        snprintf(text, sizeof text, "{\"network\":{\"topology\":%s},\"workload\":{\"type\":\"collective\",\"collective\":\"barrier\"}}",
                 bench->row->topology);
    struct problems problems = {0};
    json_t *document = scenario_parse_json(text, (size_t)length, &problems);
    bench->scenario = document ? scenario_read(document, text, NULL, &problems) : NULL;
    json_decref(document);
    problems_print(&problems, bench->row->name, stderr);
    problems_free(&problems);
    if (!bench->scenario) return error_set(err, ERROR_INTERNAL, "row %s does not describe a topology", bench->row->name);
    bench->topology = topology_create(&bench->scenario->network.topology, err);
    return bench->topology != NULL;
}

static void create_communicator(struct bench *bench, bool store_and_forward, bool solo) {
    const struct row *row = bench->row;
    bench->ranks = row->ranks ? row->ranks : bench->topology->graph.endpoints;
    bench->place = allocate(bench->ranks * sizeof *bench->place);
    for (uint32_t r = 0; r < bench->ranks; r++) bench->place[r] = r;
    const struct sim_config config = {.ticks_per_s = TICKS_PER_S_FS,
                                      .chunk_bytes = row->chunk_bytes,
                                      .switching = store_and_forward ? STORE_AND_FORWARD : CUT_THROUGH,
                                      .solo = solo};
    bench->comm = communicator_create(&bench->topology->graph, &bench->topology->router, &config, bench->place, bench->ranks,
                                      &(struct rank_costs){0});
}

// ---- what ranks do

static void ignore(void *context, uint32_t cookie, int64_t now) { (void)context, (void)cookie, (void)now; }

static void start_collective(struct bench *bench) {
    const struct row *row = bench->row;
    enum collective_kind kind = row->kind == ROW_ALL_REDUCE ? ALL_REDUCE : ALL_TO_ALL;
    const struct collective_request request = {
        .algorithm = algorithm_find(kind, row->kind == ROW_ALL_REDUCE ? "ring" : "direct"),
        .args = {.kind = kind, .size = bench->ranks, .bytes = row->bytes * bench->ranks, .schedule = SCHEDULE_ALL_AT_ONCE},
        .done = {ignore, NULL},
    };
    uint32_t collective = communicator_open(bench->comm, &request);
    for (uint32_t member = 0; member < bench->ranks; member++) communicator_start(bench->comm, collective, member, 0);
}

static uint32_t random_target(const struct bench *bench, uint32_t rank, uint32_t number) {
    uint64_t draw = mix64(((uint64_t)rank << 32 | number) + UINT64_C(0x9e3779b97f4a7c15));
    uint32_t group = bench->topology->group_size;
    if (group > 1 && (draw & 0xffff) * 100 < (uint64_t)bench->row->inside_percent << 16) {
        uint32_t base = rank / group * group;
        return base + (rank - base + 1 + (uint32_t)((draw >> 32) * (group - 1) >> 32)) % group;
    }
    return (rank + 1 + (uint32_t)((draw >> 32) * (bench->ranks - 1) >> 32)) % bench->ranks;
}

enum { DRAWN_AHEAD = 8 };

/// A rank's next message is due; returns when the one after it is.
static int64_t post_random(void *context, uint32_t rank, int64_t now) {
    (void)now;
    struct bench *bench = context;
    uint32_t at = bench->next[rank]++;
    __builtin_prefetch(&bench->times[at + DRAWN_AHEAD]); // a line of its own for each rank, long out of the caches
    __builtin_prefetch(&bench->targets[at + DRAWN_AHEAD]);
    communicator_send_unawaited(bench->comm, rank, bench->targets[at], bench->row->bytes, 0, at, (struct done_call){ignore, NULL}, 0);
    return bench->times[at + 1];
}

static void start_random(struct bench *bench) {
    for (uint32_t r = 0; r < bench->ranks; r++)
        communicator_stream(bench->comm, r, bench->times[bench->next[r]], (struct stream_call){post_random, bench}, r);
}

static void start_permutation(struct bench *bench) {
    for (uint32_t r = 0; r < bench->ranks; r++)
        communicator_send(bench->comm, r, bench->targets[r], bench->row->bytes, 0, 0, (struct done_call){ignore, NULL}, 0);
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/// The time between messages of an endpoint at which the mean link of a torus is busy for `load_percent`: mean hops x
/// service / (links per endpoint x load), mean hops along a ring of k being floor(k^2/4) / k.
static int64_t torus_gap_ticks(const struct bench *bench) {
    const struct topology *topology = bench->topology;
    int64_t service = 0;
    transfer_ticks(bench->row->bytes, topology->graph.links[0].bandwidth_bytes_per_s, TICKS_PER_S_FS, &service);
    double hops = 0;
    for (uint32_t d = 0; d < topology->dim_count; d++) hops += (double)(topology->dims[d] * topology->dims[d] / 4) / topology->dims[d];
    return (int64_t)(hops * (double)service * 100 / (2 * topology->dim_count * bench->row->load_percent));
}

/// Draws what is not to be timed.
static void draw(struct bench *bench) {
    const struct row *row = bench->row;
    struct random_stream stream;
    random_seed(&stream, 1);
    if (row->kind == ROW_RANDOM) {
        int64_t gap = row->gap_ps ? row->gap_ps * (TICKS_PER_S_FS / TICKS_PER_S_PS) : torus_gap_ticks(bench);
        uint64_t span = (uint64_t)gap * row->messages;
        size_t slots = (size_t)bench->ranks * (row->messages + 1);
        bench->times = allocate(slots * sizeof *bench->times);
        bench->targets = allocate(slots * sizeof *bench->targets);
        bench->next = allocate(bench->ranks * sizeof *bench->next);
        for (uint32_t r = 0; r < bench->ranks; r++) {
            bench->next[r] = r * (row->messages + 1);
            int64_t *times = bench->times + bench->next[r];
            for (uint32_t i = 0; i < row->messages; i++) {
                times[i] = (int64_t)random_below(&stream, span);
                bench->targets[bench->next[r] + i] = random_target(bench, r, i);
            }
            qsort(times, row->messages, sizeof *times, compare_times);
            times[row->messages] = NOT_AGAIN;
        }
    } else if (row->kind == ROW_PERMUTATION) {
        uint32_t *cycle = allocate(bench->ranks * sizeof *cycle);
        bench->targets = allocate(bench->ranks * sizeof *bench->targets);
        for (uint32_t r = 0; r < bench->ranks; r++) cycle[r] = r;
        random_shuffle(&stream, cycle, bench->ranks);
        for (uint32_t i = 0; i < bench->ranks; i++) bench->targets[cycle[i]] = cycle[(i + 1) % bench->ranks];
        free(cycle);
    }
}

/// What is timed. Its name is what callgrind's --toggle-collect is given.
__attribute__((noinline)) bool bench_timed(struct bench *bench, const struct engine_type *engine, struct error *err);
bool bench_timed(struct bench *bench, const struct engine_type *engine, struct error *err) {
    switch (bench->row->kind) {
    case ROW_ALL_REDUCE:
    case ROW_ALL_TO_ALL: start_collective(bench); break;
    case ROW_RANDOM: start_random(bench); break;
    case ROW_PERMUTATION: start_permutation(bench); break;
    case ROW_SCENARIO: break; // never comes here (row_can)
    }
    communicator_set_local(bench->comm, true);
    return communicator_run(bench->comm, engine, err);
}

static void release(struct bench *bench) {
    if (bench->comm) communicator_free(bench->comm);
    if (bench->topology) topology_free(bench->topology);
    if (bench->scenario) scenario_free(bench->scenario);
    free(bench->place);
    free(bench->times);
    free(bench->next);
    free(bench->targets);
}

static const struct engine_type *engine_of(const char *name) {
    return strcmp(name, "heap") == 0 ? &heap_engine : strcmp(name, "window") == 0 ? &window_engine : NULL;
}

static bool run(struct bench *bench, const char *engine, bool store_and_forward, struct measurement *out, struct error *err) {
    int64_t begin = cpu_ns();
    if (!build_topology(bench, err)) return false;
    create_communicator(bench, store_and_forward, strcmp(engine, "auto") == 0);
    out->setup_ns = cpu_ns() - begin;
    draw(bench);
    begin = cpu_ns();
    bool ok = bench_timed(bench, engine_of(engine), err);
    out->run_ns = cpu_ns() - begin;
    struct sim_totals totals = sim_totals(communicator_sim(bench->comm));
    out->messages = totals.messages, out->chunks = totals.chunks, out->chunk_hops = totals.chunk_hops;
    out->end_ticks = totals.end_ticks;
    out->endpoints = bench->topology->graph.endpoints, out->links = bench->topology->graph.link_count;
    out->digest = communicator_digest(bench->comm);
    return ok;
}

bool row_can(const struct row *row, const char *engine) {
    bool shortcuts = strcmp(engine, "shortcuts") == 0, threads = strcmp(engine, "threads") == 0;
    switch (row->kind) {
    case ROW_ALL_REDUCE:
    case ROW_ALL_TO_ALL: return true;
    case ROW_SCENARIO: return shortcuts;
    default: return !shortcuts && !threads;
    }
}

bool row_run(const struct row *row, const char *engine, bool store_and_forward, struct measurement *out, struct error *err) {
    struct bench bench = {.row = row};
    *out = (struct measurement){0};
    if (strcmp(engine, "shortcuts") == 0)
        return scenario_run(row, &(struct run_limits){.shortcuts = SHORTCUTS_ALL, .proof = PROOF_CHOICE_OFF, .threads = 1}, out, err);
    if (strcmp(engine, "threads") == 0) return scenario_run(row, &(struct run_limits){.proof = PROOF_CHOICE_OFF, .threads = 2}, out, err);
    bool ok = run(&bench, engine, store_and_forward, out, err);
    release(&bench);
    return ok;
}
