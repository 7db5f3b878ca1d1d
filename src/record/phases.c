#include "record/phases.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NO_LANE = UINT32_MAX };

/// One machine of one rank, while it runs.
struct open_task {
    uint32_t lane; ///< NO_LANE: not begun, or ended
    bool idle;     ///< its step has no messages
    int64_t collective_since, phase_since, step_since;
    const char *phase;
    uint64_t step, steps;
};

struct open_collective {
    const struct algorithm *algorithm; ///< NULL: no collective has this id now
    const uint32_t *ranks;
    uint32_t machines, task_count;
    uint64_t *steps;         ///< per machine
    struct open_task *tasks; ///< member * machines + machine
};

struct phases {
    uint32_t ranks;
    size_t most;
    struct open_collective *collectives; ///< by id
    size_t collective_count, collective_capacity;
    struct phase_lane *lanes;
    size_t lane_count, lane_capacity;
    bool *taken; ///< per lane
    size_t taken_capacity;
    uint32_t *next_lane; ///< per lane: the next one of its rank, 0: none
    size_t next_capacity;
    struct phase_span *spans;
    size_t span_count, span_capacity;
    struct phase_instant *instants;
    size_t instant_count, instant_capacity;
    uint32_t every;
    int64_t lost_from;
};

static uint32_t add_lane(struct phases *phases, uint32_t rank, uint32_t number) {
    size_t needed = phases->lane_count + 1;
    ARRAY_RESERVE(phases->lanes, phases->lane_capacity, needed);
    ARRAY_RESERVE(phases->taken, phases->taken_capacity, needed);
    ARRAY_RESERVE(phases->next_lane, phases->next_capacity, needed);
    uint32_t lane = (uint32_t)phases->lane_count++;
    phases->lanes[lane] = (struct phase_lane){rank, number};
    phases->taken[lane] = false;
    phases->next_lane[lane] = 0;
    return lane;
}

struct phases *phases_create(uint32_t ranks, size_t most) {
    struct phases *phases = allocate_zeroed(1, sizeof *phases);
    phases->ranks = ranks;
    phases->most = most;
    phases->every = 1;
    phases->lost_from = -1;
    for (uint32_t r = 0; r < ranks; r++) add_lane(phases, r, 0);
    return phases;
}

static void free_collective(struct open_collective *collective) {
    free(collective->steps);
    free(collective->tasks);
    *collective = (struct open_collective){0};
}

void phases_free(struct phases *phases) {
    if (!phases) return;
    for (size_t i = 0; i < phases->collective_count; i++) free_collective(&phases->collectives[i]);
    free(phases->collectives);
    free(phases->lanes);
    free(phases->taken);
    free(phases->next_lane);
    free(phases->spans);
    free(phases->instants);
    free(phases);
}

/// The first free lane of a rank.
static uint32_t take_lane(struct phases *phases, uint32_t rank) {
    uint32_t lane = rank, number = 1;
    for (; phases->taken[lane]; lane = phases->next_lane[lane], number++) {
        if (phases->next_lane[lane]) continue;
        uint32_t added = add_lane(phases, rank, number);
        phases->next_lane[lane] = added;
    }
    phases->taken[lane] = true;
    return lane;
}

// ---- keeping spans, fewer when there are too many

static bool is_kept(const struct phases *phases, uint32_t lane) { return phases->lanes[lane].rank % phases->every == 0; }

static void keep_half(struct phases *phases) {
    phases->every *= 2;
    size_t kept = 0;
    for (size_t i = 0; i < phases->span_count; i++)
        if (is_kept(phases, phases->spans[i].lane)) phases->spans[kept++] = phases->spans[i];
    phases->span_count = kept;
    kept = 0;
    for (size_t i = 0; i < phases->instant_count; i++)
        if (is_kept(phases, phases->instants[i].lane)) phases->instants[kept++] = phases->instants[i];
    phases->instant_count = kept;
}

static void add_span(struct phases *phases, const struct phase_span *span) {
    if (!is_kept(phases, span->lane)) return;
    while (phases->span_count == phases->most && phases->every < phases->ranks) keep_half(phases);
    if (!is_kept(phases, span->lane)) return;
    if (phases->span_count == phases->most) {
        if (phases->lost_from < 0) phases->lost_from = span->end_ticks;
        return;
    }
    ARRAY_RESERVE(phases->spans, phases->span_capacity, phases->span_count + 1);
    phases->spans[phases->span_count++] = *span;
}

static void add_instant(struct phases *phases, const struct phase_instant *instant) {
    if (!is_kept(phases, instant->lane)) return;
    ARRAY_RESERVE(phases->instants, phases->instant_capacity, phases->instant_count + 1);
    phases->instants[phases->instant_count++] = *instant;
}

static void end_step(struct phases *phases, const struct open_collective *collective, const struct open_task *task, int64_t now) {
    if (task->idle && task->step_since == now) return; // nothing to do, nothing to wait for
    const struct phase_span span = {task->step_since,      now,         task->lane, IN_STEP,
                                    collective->algorithm, task->phase, task->step, task->steps};
    add_span(phases, &span);
}

static void end_phase(struct phases *phases, const struct open_collective *collective, const struct open_task *task, int64_t now) {
    if (!task->phase) return;
    const struct phase_span span = {task->phase_since, now, task->lane, IN_PHASE, collective->algorithm, task->phase, 0, 0};
    add_span(phases, &span);
}

static void end_collective(struct phases *phases, const struct open_collective *collective, struct open_task *task, int64_t now) {
    end_step(phases, collective, task, now);
    end_phase(phases, collective, task, now);
    const struct phase_span span = {task->collective_since, now, task->lane, IN_COLLECTIVE, collective->algorithm, NULL, 0, 0};
    add_span(phases, &span);
    phases->taken[task->lane] = false;
    task->lane = NO_LANE;
}

// ---- what the communicator tells

static void opened(void *context, uint32_t id, const struct collective_request *request) {
    struct phases *phases = context;
    for (; phases->collective_count <= id; phases->collective_count++) {
        ARRAY_RESERVE(phases->collectives, phases->collective_capacity, phases->collective_count + 1);
        phases->collectives[phases->collective_count] = (struct open_collective){0};
    }
    struct open_collective *collective = &phases->collectives[id];
    collective->algorithm = request->algorithm;
    collective->ranks = request->ranks;
    collective->machines = algorithm_machines(request->algorithm, &request->args);
    collective->task_count = collective->machines * request->args.size;
    collective->steps = allocate(collective->machines * sizeof *collective->steps);
    for (uint32_t m = 0; m < collective->machines; m++) collective->steps[m] = request->algorithm->steps(&request->args, m);
    collective->tasks = allocate_zeroed(collective->task_count, sizeof *collective->tasks);
    for (uint32_t t = 0; t < collective->task_count; t++) collective->tasks[t].lane = NO_LANE;
}

static void closed(void *context, uint32_t id) { free_collective(&((struct phases *)context)->collectives[id]); }

static uint32_t rank_of(const struct open_collective *collective, uint32_t member) {
    return collective->ranks ? collective->ranks[member] : member;
}

static void delayed(void *context, uint32_t id, uint32_t member, int64_t delay_ticks, int64_t now) {
    struct phases *phases = context;
    if (now > INT64_MAX - delay_ticks) return;
    const struct phase_instant instant = {
        .ticks = now + delay_ticks, .lane = rank_of(&phases->collectives[id], member), .delay_ticks = delay_ticks};
    add_instant(phases, &instant);
}

static void step_started(void *context, uint32_t id, uint32_t member, uint32_t machine, uint64_t k, const struct step *step, int64_t now) {
    struct phases *phases = context;
    const struct open_collective *collective = &phases->collectives[id];
    struct open_task *task = &collective->tasks[member * collective->machines + machine];
    bool begins = task->lane == NO_LANE;
    if (begins) {
        *task = (struct open_task){.lane = take_lane(phases, rank_of(collective, member)), .collective_since = now};
    } else {
        end_step(phases, collective, task, now);
    }
    if (begins || task->phase != step->phase) {
        if (!begins) end_phase(phases, collective, task, now);
        task->phase = step->phase;
        task->phase_since = now;
    }
    task->step_since = now;
    task->idle = step->count == 0;
    task->step = step->phase ? step->phase_step : k;
    task->steps = step->phase ? step->phase_steps : collective->steps[machine];
}

static void finished(void *context, uint32_t id, uint32_t member, uint32_t machine, int64_t now) {
    struct phases *phases = context;
    const struct open_collective *collective = &phases->collectives[id];
    struct open_task *task = &collective->tasks[member * collective->machines + machine];
    if (task->lane != NO_LANE) end_collective(phases, collective, task, now);
}

struct recorder phases_recorder(struct phases *phases) {
    return (struct recorder){
        .ranks = {
            .context = phases, .opened = opened, .closed = closed, .delayed = delayed, .step_started = step_started, .finished = finished}};
}

void phases_finish(struct phases *phases, int64_t end_ticks, bool stalled) {
    for (size_t i = 0; i < phases->collective_count; i++) {
        const struct open_collective *collective = &phases->collectives[i];
        for (uint32_t t = 0; t < collective->task_count; t++) {
            struct open_task *task = &collective->tasks[t];
            if (task->lane == NO_LANE) continue;
            const struct phase_instant instant = {.ticks = end_ticks, .lane = task->lane, .stalled = true};
            if (stalled) add_instant(phases, &instant);
            end_collective(phases, collective, task, end_ticks);
        }
    }
}

struct phase_list phases_all(const struct phases *phases) {
    return (struct phase_list){phases->spans, phases->span_count,           phases->instants, phases->instant_count,
                               phases->lanes, (uint32_t)phases->lane_count, phases->every,    phases->lost_from};
}
