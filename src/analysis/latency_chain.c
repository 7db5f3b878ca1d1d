#include "analysis/latency_chain.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/posted.h"
#include "base/memory.h"

/// Times per rank. `ready`, where it is an argument: when each rank can begin, and then when it has ended.
struct chain {
    struct latency_request *request;
    bool gave_up;
    struct posted posted;
    int64_t *begun; ///< the present step; only members' entries have a meaning
    int64_t *ended; ///< its receives are in
    int64_t *done;  ///< all machines so far
};

static void raise_to(int64_t *ticks, int64_t at_least) {
    if (*ticks < at_least) *ticks = at_least;
}

static int64_t latest(const int64_t *ticks, uint32_t count) {
    int64_t last = 0;
    for (uint32_t i = 0; i < count; i++) raise_to(&last, ticks[i]);
    return last;
}

static uint32_t rank_of(const struct plan *plan, uint32_t member) { return plan->ranks ? plan->ranks[member] : member; }

/// The step's receivers begin the next one.
static void receive_posted(struct chain *chain) {
    struct latency_request *request = chain->request;
    if (request->tally)
        for (size_t i = 0; i < chain->posted.count; i++) tally_add(request->tally, &chain->posted.messages[i]);
    chain->gave_up = chain->gave_up || chain->posted.count > request->most_messages;
    request->most_messages -= chain->gave_up ? request->most_messages : chain->posted.count;
    for (size_t i = 0; !chain->gave_up && i < chain->posted.count; i++) {
        const struct posted_message *message = &chain->posted.messages[i];
        raise_to(&chain->ended[message->to], chain->begun[message->from] + path_latency(request->paths, message->from, message->to));
    }
    for (size_t i = 0; !chain->gave_up && i < chain->posted.count; i++) {
        uint32_t to = chain->posted.messages[i].to;
        chain->begun[to] = chain->ended[to];
    }
    posted_clear(&chain->posted);
}

static void begin(struct chain *chain, const struct plan *plan, const int64_t *ready) {
    for (uint32_t i = 0; i < plan->args.size; i++) {
        uint32_t rank = rank_of(plan, i);
        chain->begun[rank] = chain->ended[rank] = ready[rank];
    }
}

static void follow_machine(struct chain *chain, const struct plan *plan, uint32_t machine, const int64_t *ready) {
    begin(chain, plan, ready);
    struct step_walk walk = step_walk_begin(plan, machine);
    while (walk.step < walk.steps && !chain->gave_up) {
        posted_add_step(&chain->posted, &walk);
        receive_posted(chain);
    }
    step_walk_end(&walk);
}

static void follow_free(struct chain *chain, const struct plan *plan, int64_t *ready) {
    for (uint32_t i = 0; i < plan->args.size; i++) chain->done[rank_of(plan, i)] = ready[rank_of(plan, i)];
    for (uint32_t machine = 0; machine < plan_machines(plan) && !chain->gave_up; machine++) {
        follow_machine(chain, plan, machine, ready);
        for (uint32_t i = 0; i < plan->args.size; i++) raise_to(&chain->done[rank_of(plan, i)], chain->ended[rank_of(plan, i)]);
    }
    for (uint32_t i = 0; i < plan->args.size; i++) ready[rank_of(plan, i)] = chain->done[rank_of(plan, i)];
}

/// All machines of all members end each step together.
static void follow_steps(struct chain *chain, const struct plan *plan, int64_t *ready) {
    uint64_t steps = plan_steps(plan);
    struct step_walk *walks = plan_walks_begin(plan);
    for (uint64_t k = 0; k < steps && !chain->gave_up; k++) {
        begin(chain, plan, ready);
        for (uint32_t machine = 0; machine < plan_machines(plan); machine++) posted_add_step(&chain->posted, &walks[machine]);
        receive_posted(chain);
        int64_t last = 0;
        for (uint32_t i = 0; i < plan->args.size; i++) raise_to(&last, chain->ended[rank_of(plan, i)]);
        for (uint32_t i = 0; i < plan->args.size; i++) ready[rank_of(plan, i)] = last;
    }
    plan_walks_end(plan, walks);
}

// ---- repetitions: where one leaves every rank as much later as the others, so does the next

struct repetition {
    int64_t *ready; ///< per rank, when it began
    uint64_t left;  ///< messages that might be followed then
};

static void repetition_begin(const struct chain *chain, const int64_t *ready, struct repetition *out) {
    memcpy(out->ready, ready, chain->request->ranks * sizeof *ready);
    out->left = chain->request->most_messages;
}

/// Does it `times` more, where all of the plan's ranks took equally long; else false. Gives up where that would be too many messages.
static bool repeat(struct chain *chain, const struct plan *plan, const struct repetition *once, uint64_t times, int64_t *ready) {
    bool collective = plan->kind == PLAN_COLLECTIVE;
    uint32_t count = collective ? plan->args.size : chain->request->ranks;
    const uint32_t *ranks = collective ? plan->ranks : NULL;
    uint32_t first = ranks ? ranks[0] : 0;
    int64_t ticks = ready[first] - once->ready[first];
    if (chain->gave_up || times == 0) return false;
    for (uint32_t i = 0; i < count; i++)
        if (ready[ranks ? ranks[i] : i] - once->ready[ranks ? ranks[i] : i] != ticks) return false;
    uint64_t messages = once->left - chain->request->most_messages;
    chain->gave_up = messages > 0 && times > chain->request->most_messages / messages;
    chain->request->most_messages -= chain->gave_up ? chain->request->most_messages : times * messages;
    for (uint32_t i = 0; i < count && !chain->gave_up; i++) ready[ranks ? ranks[i] : i] += (int64_t)times * ticks;
    return true;
}

static void follow_collective(struct chain *chain, const struct plan *plan, int64_t *ready) {
    struct repetition once = {.ready = allocate(chain->request->ranks * sizeof *ready)};
    for (uint64_t i = 0; i < plan->repeat && !chain->gave_up; i++) {
        repetition_begin(chain, ready, &once);
        if (plan->step_sync)
            follow_steps(chain, plan, ready);
        else
            follow_free(chain, plan, ready);
        chain->request->tally = NULL;
        if (repeat(chain, plan, &once, plan->repeat - 1 - i, ready)) break;
    }
    free(once.ready);
}

/// A list of messages while it is followed, in an order in which each comes after those that it waits for.
struct message_order {
    const struct plan *plan;
    int64_t *posted_at; ///< per message
    size_t *waits_for;  ///< per message: how many are still to be delivered
    size_t *first;      ///< per message + 1: where those that wait for it start in `dependents`
    size_t *dependents;
    size_t *queue, queued; ///< messages that can be posted
};

static void order_messages(struct message_order *order, const int64_t *ready) {
    const struct planned_message *messages = order->plan->messages;
    size_t count = order->plan->count;
    order->posted_at = allocate(count * sizeof *order->posted_at);
    order->waits_for = allocate(count * sizeof *order->waits_for);
    order->queue = allocate(count * sizeof *order->queue);
    order->first = allocate_zeroed(count + 2, sizeof *order->first);
    for (size_t i = 0; i < count; i++) {
        order->posted_at[i] = ready[messages[i].from] + messages[i].at_ticks;
        order->waits_for[i] = messages[i].after_count;
        if (messages[i].after_count == 0) order->queue[order->queued++] = i;
        for (size_t j = 0; j < messages[i].after_count; j++) order->first[messages[i].after[j] + 2]++;
    }
    for (size_t i = 0; i < count; i++) order->first[i + 2] += order->first[i + 1];
    order->dependents = allocate(order->first[count + 1] * sizeof *order->dependents);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < messages[i].after_count; j++) order->dependents[order->first[messages[i].after[j] + 1]++] = i;
}

static void follow_messages(struct chain *chain, const struct plan *plan, int64_t *ready) {
    chain->gave_up = plan->count > chain->request->most_messages;
    if (chain->gave_up) return;
    chain->request->most_messages -= plan->count;
    struct message_order order = {.plan = plan};
    order_messages(&order, ready);
    for (size_t next = 0; next < order.queued; next++) {
        size_t i = order.queue[next];
        const struct planned_message *message = &plan->messages[i];
        int64_t delivered = order.posted_at[i] + path_latency(chain->request->paths, message->from, message->to);
        raise_to(&ready[message->from], order.posted_at[i]);
        raise_to(&ready[message->to], delivered);
        for (size_t j = order.first[i]; j < order.first[i + 1]; j++) {
            size_t dependent = order.dependents[j];
            raise_to(&order.posted_at[dependent], delivered);
            if (--order.waits_for[dependent] == 0) order.queue[order.queued++] = dependent;
        }
    }
    free(order.posted_at);
    free(order.waits_for);
    free(order.queue);
    free(order.first);
    free(order.dependents);
}

static void follow(struct chain *chain, const struct plan *plan, int64_t *ready);

static void follow_sequence(struct chain *chain, const struct plan *plan, int64_t *ready) {
    uint32_t ranks = chain->request->ranks;
    struct repetition once = {.ready = allocate(ranks * sizeof *ready)};
    for (uint64_t i = 0; i < plan->repeat && !chain->gave_up; i++) {
        repetition_begin(chain, ready, &once);
        for (size_t j = 0; j < plan->count && !chain->gave_up; j++) {
            follow(chain, plan->items[j], ready);
            bool very_last = i + 1 == plan->repeat && j + 1 == plan->count;
            if (!plan->barrier || very_last) continue;
            int64_t last = latest(ready, ranks);
            for (uint32_t rank = 0; rank < ranks; rank++) ready[rank] = last;
        }
        uint64_t left = plan->repeat - 1 - i, times = plan->barrier && left > 0 ? left - 1 : left; // the last has no barrier at its end
        if (repeat(chain, plan, &once, times, ready)) i += times;
    }
    free(once.ready);
}

static void follow_parallel(struct chain *chain, const struct plan *plan, int64_t *ready) {
    uint32_t ranks = chain->request->ranks;
    size_t bytes = ranks * sizeof *ready;
    int64_t *start = memcpy(allocate(bytes), ready, bytes), *item = allocate(bytes);
    for (size_t i = 0; i < plan->count && !chain->gave_up; i++) {
        follow(chain, plan->items[i], memcpy(item, start, bytes));
        for (uint32_t rank = 0; rank < ranks; rank++) raise_to(&ready[rank], item[rank]);
    }
    free(start);
    free(item);
}

static void follow(struct chain *chain, const struct plan *plan, int64_t *ready) {
    switch (plan->kind) {
    case PLAN_COLLECTIVE: follow_collective(chain, plan, ready); break;
    case PLAN_MESSAGES: follow_messages(chain, plan, ready); break;
    case PLAN_SEQUENCE: follow_sequence(chain, plan, ready); break;
    case PLAN_PARALLEL: follow_parallel(chain, plan, ready); break;
    }
}

int64_t latency_chain(struct latency_request *request, const struct plan *plan) {
    size_t bytes = request->ranks * sizeof(int64_t);
    struct chain chain = {.request = request, .begun = allocate(bytes), .ended = allocate(bytes), .done = allocate(bytes)};
    int64_t *ready = allocate_zeroed(request->ranks, sizeof *ready);
    follow(&chain, plan, ready);
    int64_t longest = chain.gave_up ? -1 : latest(ready, request->ranks);
    free(ready);
    posted_free(&chain.posted);
    free(chain.begun);
    free(chain.ended);
    free(chain.done);
    return longest;
}
