#include "workloads/program_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct program *program_create(const struct program_config *config) {
    struct program *program = allocate_zeroed(1, sizeof *program);
    program->config = *config;
    if (config->window == 0) program->config.window = PROGRAM_WINDOW;
    while (program->mask + 1 < program->config.window) program->mask = 2 * program->mask + 1;
    program->dependences = allocate_zeroed(program->mask + 1, sizeof *program->dependences);
    program->rank_count = communicator_ranks(config->comm);
    program->ranks = allocate_zeroed(program->rank_count, sizeof *program->ranks);
    for (uint32_t r = 0; r < program->rank_count; r++) program->ranks[r].state = allocate_zeroed(program->mask + 1, 1);
    return program;
}

static void free_live(struct live *live) {
    free(live->ranks);
    free(live->awaited);
    free(live);
}

void program_free(struct program *program) {
    for (size_t b = 0; b < LIVE_BUCKETS; b++) {
        for (struct live *live = program->live[b], *next; live; live = next) {
            next = live->next;
            free_live(live);
        }
    }
    for (uint32_t r = 0; r < program->rank_count; r++) {
        free(program->ranks[r].state);
        free(program->ranks[r].tasks);
    }
    free(program->ranks);
    free(program->marks);
    free(program->dependences);
    free(program);
}

static struct node node_at(const struct program *program, uint64_t index) {
    struct node node = {.kind = NODE_COMPUTE};
    program->config.source.node(program->config.source.context, index, &node);
    if (node.ranks.stride == 0) node.ranks.stride = 1;
    if (node.ranks.team == 0) node.ranks.team = node.ranks.count;
    return node;
}

// ---- who takes part

/// Which member of the set the rank is; -1: none.
static int64_t member_of(const struct rank_set *set, uint32_t rank) {
    if (rank < set->first || (rank - set->first) % set->stride) return -1;
    uint32_t member = (rank - set->first) / set->stride;
    return member < set->count ? (int64_t)member : -1;
}

static bool takes_part(const struct node *node, uint32_t rank) {
    if (node->kind != NODE_MESSAGES) return member_of(&node->ranks, rank) >= 0;
    for (size_t i = 0; i < node->message_count; i++)
        if (node->messages[i].from == rank || node->messages[i].to == rank) return true;
    return false;
}

// ---- a rank's account

/// Brings the account up to now: what of the time since was computing, and whether it communicated.
static void settle(struct program *program, struct rank *rank) {
    int64_t now = communicator_now(program->config.comm), busy = 0;
    for (size_t i = 0; i < rank->task_count; i++) {
        const struct task *task = &rank->tasks[i];
        int64_t from = task->start > rank->since ? task->start : rank->since, to = task->end < now ? task->end : now;
        if (!task->launch && to > from) busy += to - from;
    }
    rank->account.compute += busy;
    if (rank->collectives + rank->messages > 0) {
        rank->account.communication += now - rank->since;
        rank->account.exposed += now - rank->since - busy;
        if (rank->collectives == 0) rank->account.waiting += now - rank->since - busy;
    }
    rank->since = rank->account.end = now;
}

struct program_account program_account(const struct program *program, uint32_t rank) {
    return program->ranks[rank].account;
}

// ---- what is shared by the ranks in a node

static struct live *find_live(const struct program *program, uint64_t index, uint32_t team) {
    struct live *live = program->live[index % LIVE_BUCKETS];
    while (live && (live->index != index || live->team != team)) live = live->next;
    return live;
}

static struct live *new_live(struct program *program, uint64_t index, uint32_t team) {
    struct live *live = allocate_zeroed(1, sizeof *live), **bucket = &program->live[index % LIVE_BUCKETS];
    *live = (struct live){.next = *bucket, .program = program, .index = index, .team = team};
    *bucket = live;
    return live;
}

static void drop_live(struct live *live) {
    struct live **place = &live->program->live[live->index % LIVE_BUCKETS];
    while (*place != live) place = &(*place)->next;
    *place = live->next;
    free_live(live);
}

// ---- entering and leaving

static void advance(struct program *program, uint32_t rank);

/// The rank has done its part of a node that it took part in.
static void leave(struct program *program, uint32_t r, uint64_t index) {
    struct rank *rank = &program->ranks[r];
    rank->state[index & program->mask] = LEFT;
    const struct program_watch *watch = &program->config.watch;
    if (watch->left) watch->left(watch->context, index, r, communicator_now(program->config.comm));
    advance(program, r);
}

static void collective_done(void *context, uint32_t member, int64_t now) {
    struct live *live = context;
    struct program *program = live->program;
    uint32_t rank = live->ranks[member];
    uint64_t index = live->index;
    (void)now;
    if (++live->left == live->members) {
        communicator_close(program->config.comm, live->collective);
        drop_live(live);
    }
    settle(program, &program->ranks[rank]);
    program->ranks[rank].collectives--;
    leave(program, rank, index);
}

static struct live *open_collective(struct program *program, uint64_t index, const struct node *node, uint32_t team) {
    struct live *live = new_live(program, index, team);
    const struct rank_set *set = &node->ranks;
    live->members = set->team;
    live->ranks = allocate(set->team * sizeof *live->ranks);
    for (uint32_t i = 0; i < set->team; i++) live->ranks[i] = set->first + (team * set->team + i) * set->stride;
    const struct collective_request request = {
        .algorithm = node->algorithm,
        .args = node->args,
        .ranks = live->ranks,
        .order = program->config.order + (uint32_t)(index % (PROGRAM_ORDERS / ORDERS_EACH)) * ORDERS_EACH,
        .done = {collective_done, live},
    };
    live->collective = communicator_open(program->config.comm, &request);
    return live;
}

static void start_collective(struct program *program, uint32_t r, uint64_t index, const struct node *node) {
    uint32_t member = (uint32_t)member_of(&node->ranks, r), team = member / node->ranks.team;
    struct live *live = find_live(program, index, team);
    if (!live) live = open_collective(program, index, node, team);
    communicator_start(program->config.comm, live->collective, member % node->ranks.team, 0);
}

static struct live *open_messages(struct program *program, uint64_t index, const struct node *node) {
    struct live *live = new_live(program, index, 0);
    live->awaited = allocate_zeroed(program->rank_count, sizeof *live->awaited);
    for (size_t i = 0; i < node->message_count; i++) live->awaited[node->messages[i].to]++;
    for (uint32_t r = 0; r < program->rank_count; r++) live->members += takes_part(node, r);
    return live;
}

/// A rank that awaits nothing leaves the node; the last to leave drops what is shared.
static bool has_all_messages(struct live *live, uint32_t rank) {
    if (live->awaited[rank] > 0) return false;
    if (++live->left == live->members) drop_live(live);
    return true;
}

static bool is_inside(const struct program *program, uint32_t r, uint64_t index) {
    const struct rank *rank = &program->ranks[r];
    uint32_t window = program->config.window;
    return index >= rank->low && index < rank->low + window && rank->state[index & program->mask] == INSIDE;
}

static void message_delivered(void *context, uint32_t rank, int64_t now) {
    struct live *live = context;
    struct program *program = live->program;
    uint64_t index = live->index;
    (void)now;
    live->awaited[rank]--;
    if (!is_inside(program, rank, index) || !has_all_messages(live, rank)) return;
    settle(program, &program->ranks[rank]);
    program->ranks[rank].messages--;
    leave(program, rank, index);
}

/// Posts what the rank sends; true where it has nothing to wait for.
static bool enter_messages(struct program *program, uint32_t r, uint64_t index, const struct node *node) {
    struct live *live = find_live(program, index, 0);
    if (!live) live = open_messages(program, index, node);
    uint32_t order = program->config.order + (uint32_t)(index % (PROGRAM_ORDERS / ORDERS_EACH)) * ORDERS_EACH;
    for (size_t i = 0; i < node->message_count; i++) {
        const struct node_message *message = &node->messages[i];
        if (message->from == r)
            communicator_send(program->config.comm, r, message->to, message->bytes, order, (uint32_t)i,
                              (struct done_call){message_delivered, live}, message->to);
    }
    return has_all_messages(live, r);
}

static void task_done(void *context, uint32_t r, int64_t now);

static void push_task(struct program *program, uint32_t r, uint64_t index, int64_t ticks, bool launch) {
    struct rank *rank = &program->ranks[r];
    int64_t end = communicator_compute(program->config.comm, r, ticks, (struct done_call){task_done, program}, r);
    ARRAY_RESERVE(rank->tasks, rank->task_capacity, rank->task_count + 1);
    rank->tasks[rank->task_count++] = (struct task){index, end - ticks, end, launch};
}

static void task_done(void *context, uint32_t r, int64_t now) {
    struct program *program = context;
    struct rank *rank = &program->ranks[r];
    (void)now;
    settle(program, rank);
    struct task task = rank->tasks[0];
    memmove(rank->tasks, rank->tasks + 1, --rank->task_count * sizeof task);
    if (!task.launch) {
        leave(program, r, task.index);
        return;
    }
    const struct node node = node_at(program, task.index);
    start_collective(program, r, task.index, &node);
}

/// The rank enters a node; true where it has left it already.
static bool enter(struct program *program, uint32_t r, uint64_t index, const struct node *node) {
    struct rank *rank = &program->ranks[r];
    const struct program_watch *watch = &program->config.watch;
    if (!takes_part(node, r)) return true;
    rank->state[index & program->mask] = INSIDE;
    if (watch->entered) watch->entered(watch->context, index, r, communicator_now(program->config.comm));
    settle(program, rank);
    if (node->kind == NODE_COMPUTE) {
        push_task(program, r, index, node->member_ticks ? node->member_ticks[member_of(&node->ranks, r)] : node->ticks, false);
        return false;
    }
    if (node->kind == NODE_MESSAGES) {
        if (!enter_messages(program, r, index, node)) {
            rank->messages++;
            return false;
        }
        if (watch->left) watch->left(watch->context, index, r, communicator_now(program->config.comm));
        return true;
    }
    rank->collectives++;
    if (node->launch_ticks > 0)
        push_task(program, r, index, node->launch_ticks, true);
    else
        start_collective(program, r, index, node);
    return false;
}

static const uint32_t *after_of(struct program *program, uint64_t index) {
    struct dependence *dependence = &program->dependences[index & program->mask];
    if (dependence->number != index + 1) {
        const struct node node = node_at(program, index);
        dependence->number = index + 1;
        memcpy(dependence->after, node.after, sizeof dependence->after);
    }
    return dependence->after;
}

static bool is_ready(struct program *program, const struct rank *rank, uint64_t index) {
    const uint32_t *after = after_of(program, index);
    for (size_t i = 0; i < NODE_AFTER && after[i]; i++) {
        if (after[i] > index) continue;
        uint64_t before = index - after[i];
        if (before >= rank->low && rank->state[before & program->mask] != LEFT) return false;
    }
    return true;
}

/// Enters all nodes of the window that are ready.
static void look(struct program *program, uint32_t r) {
    struct rank *rank = &program->ranks[r];
    uint32_t window = program->config.window;
    for (uint64_t index = rank->low; index < rank->low + window && index < program->config.count; index++) {
        if (rank->state[index & program->mask] != NOT_ENTERED) continue;
        if (!is_ready(program, rank, index)) continue;
        const struct node node = node_at(program, index);
        if (!enter(program, r, index, &node)) continue;
        rank->state[index & program->mask] = LEFT;
        rank->again = true;
    }
}

/// Goes on as far as the rank can, then tells when it is done.
static void advance(struct program *program, uint32_t r) {
    struct rank *rank = &program->ranks[r];
    rank->again = true;
    if (!rank->started || rank->advancing) return;
    rank->advancing = true;
    while (rank->again) {
        rank->again = false;
        for (; rank->state[rank->low & program->mask] == LEFT; rank->low++) rank->state[rank->low & program->mask] = NOT_ENTERED;
        look(program, r);
    }
    rank->advancing = false;
    if (r == 0 && program->config.tells_rounds) program_see_round(program);
    if (rank->low < program->config.count || program->config.open || rank->done) return;
    rank->done = true;
    program->config.rank_done.call(program->config.rank_done.context, r, communicator_now(program->config.comm));
}

void program_start(struct program *program, uint32_t r) {
    struct rank *rank = &program->ranks[r];
    rank->started = true;
    rank->since = rank->account.start = rank->account.end = communicator_now(program->config.comm);
    advance(program, r);
}

void program_extend(struct program *program, uint64_t count, bool open) {
    program->config.count = count;
    program->config.open = open;
    for (uint32_t r = 0; r < program->rank_count; r++)
        if (program->ranks[r].started) advance(program, r);
}

void program_describe(const struct program *program, char *out, size_t out_size) {
    size_t used = 0;
    for (uint32_t r = 0; r < program->rank_count; r++) {
        const struct rank *rank = &program->ranks[r];
        if (!rank->started || rank->done) continue;
        int wrote = snprintf(out + used, out_size - used, "%srank %u has not left node %llu of its program", used ? "; " : "", r,
                             (unsigned long long)rank->low);
        if (wrote < 0 || used + (size_t)wrote >= out_size) return;
        used += (size_t)wrote;
    }
}
