// Rounds of a program: a row of nodes in which one period is done like the other.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workloads/program_state.h"

/// The first node that some rank has not left, and the end of all that some rank looks at.
struct reach {
    uint64_t low, end;
};

static struct reach reach_of(const struct program *program) {
    struct reach reach = {UINT64_MAX, 0};
    for (uint32_t r = 0; r < program->rank_count; r++) {
        uint64_t low = program->ranks[r].low;
        if (low < reach.low) reach.low = low;
        if (low + program->config.window > reach.end) reach.end = low + program->config.window;
    }
    return reach;
}

// ---- how everything stands, relative to the round's first node and to now

static void add_rank(const struct program *program, const struct rank *rank, int64_t now, struct word_list *words) {
    words_add(words, rank->low - program->round);
    words_add(words, (uint64_t)rank->collectives << 32 | rank->messages);
    words_add(words, (uint64_t)(now - rank->since));
    uint64_t states = 0;
    for (uint32_t i = 0; i < program->config.window; i++) {
        states = states << 2 | rank->state[(rank->low + i) & program->mask];
        if (i % 32 < 31 && i + 1 < program->config.window) continue;
        words_add(words, states);
        states = 0;
    }
    words_add(words, rank->task_count);
    for (size_t i = 0; i < rank->task_count; i++) {
        const struct task *task = &rank->tasks[i];
        words_add(words, (task->index - program->round) << 1 | task->launch);
        words_add(words, (uint64_t)(now - task->start));
        words_add(words, (uint64_t)(task->end - now));
    }
}

static void add_live(const struct program *program, const struct live *live, struct word_list *words) {
    words_add(words, live->index - program->round);
    words_add(words, (uint64_t)live->team << 32 | live->left);
    if (live->ranks) communicator_add_collective(program->config.comm, live->collective, words);
    for (uint32_t r = 0; live->awaited && r < program->rank_count; r++) words_add(words, live->awaited[r]);
}

static bool round_state(void *context, struct word_list *words) {
    const struct program *program = context;
    int64_t now = communicator_now(program->config.comm);
    const struct reach reach = reach_of(program);
    if (reach.low < program->row.first) return false;
    words_add(words, program->row.first);
    for (uint32_t r = 0; r < program->rank_count; r++) {
        const struct rank *rank = &program->ranks[r];
        if (!rank->started || rank->done) return false;
        add_rank(program, rank, now, words);
    }
    if (program->config.watch.state) program->config.watch.state(program->config.watch.context, now, words);
    for (uint64_t index = reach.low; index < reach.end; index++)
        for (const struct live *live = program->live[index % LIVE_BUCKETS]; live; live = live->next)
            if (live->index == index) add_live(program, live, words);
    return true;
}

// ---- rounds that are left out

static void round_mark(void *context) {
    struct program *program = context;
    const struct program_watch *watch = &program->config.watch;
    program->marked_round = program->round;
    if (!program->marks) program->marks = allocate(program->rank_count * sizeof *program->marks);
    for (uint32_t r = 0; r < program->rank_count; r++) program->marks[r] = program->ranks[r].account;
    if (watch->marked) watch->marked(watch->context);
}

/// As far as the row goes, and the collectives' numbers are in the order of the nodes.
static uint64_t rounds_left(void *context) {
    const struct program *program = context;
    const struct reach reach = reach_of(program);
    uint64_t nodes = program->round - program->marked_round, in_order = PROGRAM_ORDERS / ORDERS_EACH;
    uint64_t from = reach.low - nodes, end = from - from % in_order + in_order;
    if (program->row.end < end) end = program->row.end;
    return end > reach.end ? (end - reach.end) / nodes : 0;
}

static void skip_rank(const struct program *program, uint32_t r, uint64_t nodes, int64_t ticks) {
    struct rank *rank = &program->ranks[r];
    uint64_t size = program->mask + 1;
    uint8_t *state = allocate_zeroed(size, 1);
    for (uint32_t i = 0; i < program->config.window; i++) {
        uint64_t index = rank->low + i;
        state[(index + nodes) & program->mask] = rank->state[index & program->mask];
    }
    free(rank->state);
    rank->state = state;
    rank->low += nodes;
    rank->since += ticks, rank->account.end += ticks;
    for (size_t i = 0; i < rank->task_count; i++) {
        struct task *task = &rank->tasks[i];
        task->index += nodes, task->start += ticks, task->end += ticks;
    }
}

static void skip_live(struct program *program, uint64_t nodes) {
    struct live *all = NULL;
    for (size_t b = 0; b < LIVE_BUCKETS; b++) {
        for (struct live *live = program->live[b], *next; live; live = next) {
            next = live->next;
            live->next = all;
            all = live;
        }
        program->live[b] = NULL;
    }
    for (struct live *next; all; all = next) {
        next = all->next;
        all->index += nodes;
        struct live **bucket = &program->live[all->index % LIVE_BUCKETS];
        all->next = *bucket;
        *bucket = all;
    }
}

/// What an account has grown by since the mark it grows by so many times more.
static void repeat_account(struct program_account *account, const struct program_account *mark, int64_t times) {
    account->compute += times * (account->compute - mark->compute);
    account->communication += times * (account->communication - mark->communication);
    account->exposed += times * (account->exposed - mark->exposed);
    account->waiting += times * (account->waiting - mark->waiting);
}

static void round_skip(void *context, uint64_t times, int64_t ticks) {
    struct program *program = context;
    const struct program_watch *watch = &program->config.watch;
    uint64_t nodes = times * (program->round - program->marked_round);
    for (uint32_t r = 0; r < program->rank_count; r++) {
        repeat_account(&program->ranks[r].account, &program->marks[r], (int64_t)times);
        skip_rank(program, r, nodes, (int64_t)times * ticks);
    }
    skip_live(program, nodes);
    program->round += nodes;
    if (watch->skipped) watch->skipped(watch->context, times, ticks);
}

void program_see_round(struct program *program) {
    enum { FEWEST_LEFT = 2 };
    struct node_row *row = &program->row;
    uint64_t low = program->ranks[0].low, round = program->round;
    if (low >= round && low < round + row->period) return;
    if (low >= row->end || low < row->first) {
        *row = (struct node_row){0};
        if (low >= program->config.count || !program->config.source.row(program->config.source.context, low, row)) {
            *row = (struct node_row){0};
            return;
        }
    }
    program->round = low - (low - row->first) % row->period;
    if (row->end < low + program->config.window + FEWEST_LEFT * row->period) return;
    communicator_begins_round(program->config.comm, &(struct round_teller){program, round_state, round_mark, rounds_left, round_skip});
}
