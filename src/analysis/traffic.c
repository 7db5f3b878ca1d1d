#include "analysis/traffic.h"

#include <stdlib.h>

#include "algos/view.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/random.h"

/// How many are looked at of the items or messages of a plan, of the members of a collective, a member's steps, and the routes of one;
/// after so many operations of a collective no further members are.
enum {
    ITEMS_SEEN = 64,
    MESSAGES_SEEN = 1024,
    MEMBERS_SEEN = 16,
    STEPS_SEEN = 32,
    BUSY_STEPS_SEEN = 64,
    ROUTES_SEEN = 8,
    OPERATIONS_SEEN = 1 << 20
};

struct sampler {
    const struct site *site;
    int64_t chunk_bytes;
    struct random_stream random;
    struct collective_args args; ///< of the collective that is looked at; nobody asks for the places of spans
    uint64_t operations;         ///< of it, so far
    struct step step;            ///< scratch, likewise the next
    uint32_t *route;
};

static void add(struct traffic *sum, struct traffic part, double times) {
    sum->messages += times * part.messages;
    sum->chunk_hops += times * part.chunk_hops;
}

static double chunks_of(const struct sampler *sampler, int64_t bytes) {
    if (sampler->chunk_bytes <= 0 || bytes <= sampler->chunk_bytes) return 1;
    return (double)(bytes / sampler->chunk_bytes + (bytes % sampler->chunk_bytes > 0));
}

/// At least one: a message to the switches that reduce has no route.
static double hops_between(const struct sampler *sampler, uint32_t from, uint32_t to) {
    const struct site *site = sampler->site;
    if (from == to || !topology_reachable(site->topology, site->place[from], site->place[to])) return 1;
    uint32_t hops = site_route(site, from, to, sampler->route);
    return hops > 0 ? hops : 1;
}

static uint32_t rank_of(const struct plan *plan, uint32_t member) { return plan->ranks ? plan->ranks[member] : member; }

/// What a member sends in a step; all of it goes as far as some of its messages do in the mean.
static struct traffic look_at_step(struct sampler *sampler, const struct plan *plan, uint32_t member, uint32_t machine, uint64_t k) {
    const struct view view = view_all(member, plan->args.size);
    struct step *step = &sampler->step;
    struct traffic sent = {0};
    double chunks = 0, hops = 0, routes = 0;
    step->count = 0;
    plan->algorithm->step(&sampler->args, &view, machine, k, step);
    sampler->operations += step->count;
    uint64_t stride = step->count / ROUTES_SEEN + 1, next = random_below(&sampler->random, stride);
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) {
        const struct operation *operation = &step->operations[i];
        if (!operation->is_send || (operation->peer == member && !operation->in_network)) continue;
        sent.messages++;
        chunks += chunks_of(sampler, operation_bytes(operation));
        if (i < next && routes > 0) continue;
        hops += hops_between(sampler, rank_of(plan, member), rank_of(plan, operation->peer));
        routes++;
        next += stride;
    }
    if (routes > 0) sent.chunk_hops = chunks * hops / routes;
    return sent;
}

/// The steps in which it may do something one after the other, if they are few: most ranks may be idle in most steps.
static bool look_at_busy_steps(struct sampler *sampler, const struct plan *plan, uint32_t member, uint32_t machine, struct traffic *sent) {
    const struct view view = view_all(member, plan->args.size);
    uint64_t steps = plan->algorithm->steps(&plan->args, machine), k = 0;
    *sent = (struct traffic){0};
    for (int seen = 0; seen <= BUSY_STEPS_SEEN; seen++, k++) {
        k = algorithm_next_step(plan->algorithm, &plan->args, &view, machine, k);
        if (k >= steps) return true;
        add(sent, look_at_step(sampler, plan, member, machine, k), 1);
    }
    return false;
}

static struct traffic look_at_member(struct sampler *sampler, const struct plan *plan, uint32_t member) {
    struct traffic all = {0};
    for (uint32_t machine = 0; machine < algorithm_machines(plan->algorithm, &plan->args); machine++) {
        uint64_t steps = plan->algorithm->steps(&plan->args, machine);
        struct traffic sent;
        if (!look_at_busy_steps(sampler, plan, member, machine, &sent)) {
            sent = (struct traffic){0};
            for (int i = 0; i < STEPS_SEEN; i++)
                add(&sent, look_at_step(sampler, plan, member, machine, random_below(&sampler->random, steps)), (double)steps / STEPS_SEEN);
        }
        add(&all, sent, 1);
    }
    return all;
}

/// Of the root, which may be like no other, and of some others.
static struct traffic look_at_collective(struct sampler *sampler, const struct plan *plan) {
    uint32_t size = plan->args.size, others = size - 1, seen = others < MEMBERS_SEEN ? others : MEMBERS_SEEN;
    sampler->args = plan->args, sampler->operations = 0;
    if (plan->args.part.marks <= 0) sampler->args.part = (struct span){.bytes = plan->args.bytes, .marks = UNMARKED};
    struct traffic all = look_at_member(sampler, plan, plan->args.root), sum = {0};
    uint32_t done = 0;
    for (; done < seen && (done == 0 || sampler->operations < OPERATIONS_SEEN); done++) {
        uint32_t other = seen == others ? done : (uint32_t)random_below(&sampler->random, others);
        add(&sum, look_at_member(sampler, plan, other + (other >= plan->args.root)), 1);
    }
    if (done > 0) add(&all, sum, (double)others / done);
    return all;
}

static struct traffic look_at_message(const struct sampler *sampler, const struct planned_message *message) {
    if (message->from == message->to) return (struct traffic){0};
    return (struct traffic){1, chunks_of(sampler, message->bytes) * hops_between(sampler, message->from, message->to)};
}

static struct traffic look_at(struct sampler *sampler, const struct plan *plan) {
    struct traffic all = {0}, once = {0};
    bool messages = plan->kind == PLAN_MESSAGES;
    size_t most = messages ? MESSAGES_SEEN : ITEMS_SEEN, seen = plan->count < most ? plan->count : most;
    if (plan->kind == PLAN_COLLECTIVE) once = look_at_collective(sampler, plan);
    for (size_t i = 0; plan->kind != PLAN_COLLECTIVE && i < seen; i++) {
        size_t item = seen == plan->count ? i : random_below(&sampler->random, plan->count);
        struct traffic part = messages ? look_at_message(sampler, &plan->messages[item]) : look_at(sampler, plan->items[item]);
        add(&once, part, (double)plan->count / (double)seen);
    }
    add(&all, once, (double)plan->repeat);
    return all;
}

struct traffic traffic_estimate(const struct site *site, const struct plan *plan, int64_t chunk_bytes) {
    struct sampler sampler = {.site = site, .chunk_bytes = chunk_bytes};
    sampler.route = allocate(site_route_capacity(site) * sizeof *sampler.route);
    random_seed(&sampler.random, 1);
    struct traffic traffic = look_at(&sampler, plan);
    pages_free(sampler.step.operations);
    free(sampler.route);
    return traffic;
}
