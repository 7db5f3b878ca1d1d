// Finds the symmetry of a run: tries the shifts that the shape proposes, one coordinate at a time, and drops those under which a
// link, a route or a step of the schedule changes.
#include "scenario/symmetry.h"

#include <stdlib.h>

#include "algos/custom.h"
#include "analysis/posted.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/random.h"

enum {
    ALL_PAIRS = 1 << 18,       ///< up to so many pairs of endpoints all routes are walked
    WALKED_PAIRS = 1 << 12,    ///< else so many, drawn
    FIRST_HOPS = 1 << 18,      ///< and about so many first hops from endpoint 0
    ALL_OPERATIONS = 1 << 21,  ///< operations that are compared, rank by rank from rank 0
    MORE_OPERATIONS = 1 << 18, ///< and, where these were not all, of steps that are drawn
    MOST_HOPS = 1 << 20,
};

/// A shift along one coordinate while it is being checked.
struct candidate {
    uint32_t coordinate, by;
    bool holds;
    uint32_t *images; ///< of all nodes
};

struct search {
    const struct experiment *experiment;
    struct translations group; ///< steps: 1 shift holds; radix: none does
    struct candidate candidates[MAX_COORDINATES];
    uint32_t count;
    bool ports_move;
    struct random_stream random;
    struct collective_args args; ///< of the collective that is looked at
    struct step step, image;
    uint32_t *peers, *image_peers; ///< of a step in which each sends as much to every other, in place of these
    const struct plan *filled;     ///< `step` or `peers` is this collective's, of the next three
    uint32_t rank, machine;
    uint64_t k;
    int64_t exchanged; ///< what it sends to each of `peers`; -1: it is `step`
};

static bool any_holds(const struct search *search) {
    for (uint32_t i = 0; i < search->count; i++)
        if (search->candidates[i].holds) return true;
    return false;
}

// ---- links and routes

static void check_links(struct search *search) {
    struct quotient_shift shifts[MAX_COORDINATES];
    for (uint32_t i = 0; i < search->count; i++) shifts[i] = (struct quotient_shift){search->candidates[i].images, true};
    quotient_links_shift(&search->experiment->topology->graph, &search->group, shifts, search->count, &search->ports_move);
    for (uint32_t i = 0; i < search->count; i++) search->candidates[i].holds = shifts[i].holds;
}

static uint32_t selector_of(const struct topology *topology, uint32_t from, uint32_t to, uint32_t number, uint64_t chunk) {
    const struct router *router = &topology->router;
    return router->selector ? router->selector(router->state, from, to, number, chunk) : 0;
}

/// Whether a chunk's way from one endpoint to another is shifted with them, at each of its nodes.
static void check_route(struct search *search, uint32_t from, uint32_t to, uint32_t most_hops) {
    const struct topology *topology = search->experiment->topology;
    const struct router *router = &topology->router;
    uint32_t number = router->selector ? (uint32_t)random_below(&search->random, 1 << 16) : 0;
    uint64_t chunk = router->selector ? random_below(&search->random, 1 << 16) : 0;
    struct quotient_probe probe = {from, to, selector_of(topology, from, to, number, chunk), NO_LINK};
    for (uint32_t i = 0; i < search->count; i++) {
        struct candidate *candidate = &search->candidates[i];
        uint32_t selector = selector_of(topology, candidate->images[from], candidate->images[to], number, chunk);
        candidate->holds = candidate->holds && selector == probe.selector;
    }
    for (uint32_t hop = 0; probe.node != to && hop < most_hops; hop++) {
        probe.link = router->next_link(router->state, probe.node, to, probe.selector);
        for (uint32_t i = 0; i < search->count; i++) {
            struct candidate *candidate = &search->candidates[i];
            candidate->holds = candidate->holds && quotient_route_shifts(&topology->graph, router, candidate->images, &probe);
        }
        probe.node = topology->graph.links[probe.link].to;
        // where ports move no chunk may pass through an endpoint
        for (uint32_t i = 0; search->ports_move && probe.node != to && i < search->count; i++) search->candidates[i].holds = false;
    }
}

static void check_routes(struct search *search) {
    uint32_t endpoints = search->experiment->topology->graph.endpoints;
    if ((uint64_t)endpoints * endpoints <= ALL_PAIRS) {
        for (uint32_t from = 0; from < endpoints; from++)
            for (uint32_t to = 0; to < endpoints && any_holds(search); to++)
                if (from != to) check_route(search, from, to, MOST_HOPS);
        return;
    }
    uint32_t stride = endpoints / FIRST_HOPS + 1;
    for (uint32_t to = 1; to < endpoints && any_holds(search); to += stride) check_route(search, 0, to, 1);
    for (int i = 0; i < WALKED_PAIRS && any_holds(search); i++) {
        uint32_t from = (uint32_t)random_below(&search->random, endpoints), to = (uint32_t)random_below(&search->random, endpoints);
        if (from != to) check_route(search, from, to, MOST_HOPS);
    }
}

// ---- the schedule

/// As those who post ask: nobody asks for the places of spans.
static void ask_for(struct search *search, const struct plan *plan) {
    search->args = plan->args;
    if (search->args.part.marks <= 0) search->args.part = (struct span){plan->args.bytes, 0, UNMARKED};
    search->filled = NULL;
}

static void fill_step(const struct search *search, const struct plan *plan, uint32_t rank, uint32_t machine, uint64_t k, struct step *out) {
    const struct view view = view_all(rank, plan->args.size);
    out->count = 0;
    out->phase = NULL;
    plan->algorithm->step(&search->args, &view, machine, k, out);
}

/// What a rank sends to every other where a step is no more than that; -1: it is another.
static int64_t fill_peers(const struct search *search, const struct plan *plan, uint32_t rank, uint64_t k, uint32_t *peers) {
    return plan->algorithm->exchanges ? plan->algorithm->exchanges(&search->args, rank, k, peers) : -1;
}

static void fill_own_step(struct search *search, const struct plan *plan, uint32_t rank, uint32_t machine, uint64_t k) {
    if (search->filled == plan && search->rank == rank && search->machine == machine && search->k == k) return;
    search->exchanged = fill_peers(search, plan, rank, k, search->peers);
    if (search->exchanged < 0) fill_step(search, plan, rank, machine, k, &search->step);
    search->filled = plan, search->rank = rank, search->machine = machine, search->k = k;
}

/// Whether two messages are alike but for the peer; how they lie in the vector does not matter.
static bool same_message(const struct operation *a, const struct operation *b) {
    return a->is_send == b->is_send && a->combine == b->combine && a->piece == b->piece && operation_bytes(a) == operation_bytes(b);
}

static bool same_messages(const struct search *search, const struct candidate *candidate) {
    const struct step *step = &search->step, *image = &search->image;
    size_t i = 0, j = 0;
    while (i < step->count && j < image->count) {
        const struct operation *a = &step->operations[i], *b = &image->operations[j];
        if (!same_message(a, b) || b->peer != candidate->images[a->peer]) return false;
        i += 1 + a->joined, j += 1 + b->joined;
    }
    return i == step->count && j == image->count;
}

/// Compares an exchange with all others with that of the rank's images; returns how many messages that took.
static uint64_t check_exchange(struct search *search, const struct plan *plan) {
    uint32_t others = plan->args.size - 1;
    uint64_t work = 1 + others;
    for (uint32_t i = 0; i < search->count; i++) {
        struct candidate *candidate = &search->candidates[i];
        if (!candidate->holds) continue;
        int64_t bytes = fill_peers(search, plan, candidate->images[search->rank], search->k, search->image_peers);
        candidate->holds = bytes == search->exchanged;
        for (uint32_t p = 0; p < others && candidate->holds; p++)
            candidate->holds = search->image_peers[p] == candidate->images[search->peers[p]];
        work += others;
    }
    return work;
}

/// Compares one step of a rank with that of its images; returns how many operations that took.
static uint64_t check_step(struct search *search, const struct plan *plan, uint32_t rank, uint32_t machine, uint64_t k) {
    fill_own_step(search, plan, rank, machine, k);
    if (search->exchanged >= 0) return check_exchange(search, plan);
    uint64_t work = 1 + search->step.count;
    for (uint32_t i = 0; i < search->count; i++) {
        struct candidate *candidate = &search->candidates[i];
        if (!candidate->holds) continue;
        fill_step(search, plan, candidate->images[rank], machine, k, &search->image);
        candidate->holds = same_messages(search, candidate);
        work += search->image.count;
    }
    return work;
}

static void check_collective(struct search *search, const struct plan *plan) {
    uint32_t size = plan->args.size, machines = plan_machines(plan);
    uint64_t work = 0, least_steps = 0;
    ask_for(search, plan);
    for (uint32_t rank = 0; rank < size; rank++) {
        for (uint32_t machine = 0; machine < machines; machine++) {
            uint64_t steps = plan->algorithm->steps(&plan->args, machine);
            for (uint64_t k = 0; k < steps && any_holds(search); k++) work += check_step(search, plan, rank, machine, k);
            if (machine == 0 || steps < least_steps) least_steps = steps;
        }
        if (work > ALL_OPERATIONS && rank + 1 < size) break;
        if (rank + 1 == size || !any_holds(search)) return;
    }
    // what a user has written is not followed on a sample
    for (uint32_t i = 0; plan->args.custom && i < search->count; i++) search->candidates[i].holds = false;
    for (work = 0; work < MORE_OPERATIONS && least_steps > 0 && any_holds(search);)
        work += check_step(search, plan, (uint32_t)random_below(&search->random, size), (uint32_t)random_below(&search->random, machines),
                           random_below(&search->random, least_steps));
}

static bool can_fold(const struct plan *plan, uint32_t ranks) {
    if (plan->kind == PLAN_COLLECTIVE) return !plan->algorithm->in_network && !plan->ranks && plan->args.size == ranks && plan->repeat > 0;
    if (plan->kind == PLAN_MESSAGES) return false;
    for (size_t i = 0; i < plan->count; i++)
        if (!can_fold(plan->items[i], ranks)) return false;
    return true;
}

static void check_plan(struct search *search, const struct plan *plan) {
    if (plan->kind == PLAN_COLLECTIVE) check_collective(search, plan);
    for (size_t i = 0; plan->kind != PLAN_COLLECTIVE && i < plan->count; i++) check_plan(search, plan->items[i]);
}

/// Messages of a rank, counted no further than `enough`.
static uint64_t count_sends(struct search *search, const struct plan *plan, uint32_t rank, uint64_t enough) {
    uint64_t sends = 0;
    if (plan->kind != PLAN_COLLECTIVE) {
        for (size_t i = 0; i < plan->count && sends < enough; i++) sends += count_sends(search, plan->items[i], rank, enough);
        return sends * plan->repeat;
    }
    ask_for(search, plan);
    for (uint32_t machine = 0; machine < plan_machines(plan); machine++) {
        uint64_t steps = plan->algorithm->steps(&plan->args, machine);
        for (uint64_t k = 0; k < steps && sends * plan->repeat < enough; k++) {
            fill_own_step(search, plan, rank, machine, k);
            if (search->exchanged >= 0) {
                sends += plan->args.size - 1;
                continue;
            }
            for (size_t o = 0; o < search->step.count; o += 1 + search->step.operations[o].joined)
                sends += search->step.operations[o].is_send;
        }
    }
    return sends * plan->repeat;
}

// ---- the search

static void check_all(struct search *search, const struct plan *plan) {
    check_links(search);
    if (search->ports_move && experiment_has_costs(search->experiment)) // ports order what a processor is asked
        for (uint32_t i = 0; i < search->count; i++) search->candidates[i].holds = false;
    if (any_holds(search)) check_routes(search);
    if (any_holds(search)) check_plan(search, plan);
}

/// Tries a shift along each coordinate that has none yet: by its finest step, or by twice that.
static void try_shifts(struct search *search, const struct plan *plan, const uint32_t *finest, uint32_t times) {
    const struct graph *graph = &search->experiment->topology->graph;
    search->count = 0;
    for (uint32_t i = 0; i < search->group.count; i++) {
        uint32_t by = finest[i] * times, radix = search->group.radix[i];
        if (search->group.step[i] == radix && by < radix && radix % by == 0)
            search->candidates[search->count++] = (struct candidate){i, by, true, quotient_shift_nodes(graph, &search->group, i, by)};
    }
    if (search->count > 0) check_all(search, plan);
    for (uint32_t i = 0; i < search->count; i++) {
        const struct candidate *candidate = &search->candidates[i];
        if (candidate->holds) search->group.step[candidate->coordinate] = candidate->by;
        free(candidate->images);
    }
}

static bool placed_in_order(const struct experiment *experiment) {
    if (experiment->ranks != experiment->topology->graph.endpoints) return false;
    for (uint32_t rank = 0; rank < experiment->ranks; rank++)
        if (experiment->place[rank] != rank) return false;
    return true;
}

static struct symmetry *fold(const struct search *search) {
    const struct topology *topology = search->experiment->topology;
    if (translations_order(&search->group) == 1) return NULL;
    struct quotient *quotient = quotient_create(&topology->graph, &topology->router, &search->group, search->ports_move);
    if (!quotient) return NULL;
    struct symmetry *symmetry = allocate_zeroed(1, sizeof *symmetry);
    symmetry->quotient = quotient;
    symmetry->hosted = allocate_zeroed(topology->graph.endpoints, sizeof *symmetry->hosted);
    for (uint32_t i = 0; i < quotient->endpoint_count; i++) symmetry->hosted[quotient->nodes[i].node] = 1;
    return symmetry;
}

/// Whether all ranks post more than so many messages; representatives may post unequally many.
static bool posts_more(struct search *search, const struct plan *plan, const struct symmetry *symmetry, uint64_t messages) {
    const struct quotient *quotient = symmetry->quotient;
    uint64_t sends = 0, enough = messages / translations_order(&search->group) + 1;
    for (uint32_t i = 0; i < quotient->endpoint_count && sends < enough; i++)
        sends += count_sends(search, plan, quotient->nodes[i].node, enough - sends);
    return sends >= enough;
}

const char *symmetry_obstacle(const struct experiment *experiment, const struct plan *plan) {
    const struct workload_type *type = workload_type(&experiment->scenario->workload);
    if (!experiment->topology->type->translations)
        return "no shifts of this topology are known; tori, rings, hypercubes, switches, full networks and clusters have some";
    if (!type->uniform || !type->uniform(experiment->scenario->workload.config))
        return "ranks of this workload differ; those of collectives that all begin at once need not";
    if (!plan || !can_fold(plan, experiment->ranks)) return "not all of this workload is collectives of all ranks that no switch reduces";
    return placed_in_order(experiment) ? NULL
                                       : "ranks are not placed in order, one on each endpoint; mapping linear without \"ranks\" does that";
}

struct symmetry *symmetry_find(const struct experiment *experiment, const struct plan *plan, uint64_t least_messages, const char **why) {
    const struct topology *topology = experiment->topology;
    struct search search = {.experiment = experiment};
    random_seed(&search.random, 1);
    topology->type->translations(topology, &search.group);
    uint32_t finest[MAX_COORDINATES];
    for (uint32_t i = 0; i < search.group.count; i++) finest[i] = search.group.step[i], search.group.step[i] = search.group.radix[i];
    search.peers = pages_allocate(experiment->ranks * sizeof *search.peers);
    search.image_peers = pages_allocate(experiment->ranks * sizeof *search.image_peers);
    struct symmetry *symmetry = NULL;
    uint64_t enough = least_messages / experiment->ranks + 1, countable = SYMMETRY_DIGEST_MESSAGES / experiment->ranks + 1;
    uint64_t sends = count_sends(&search, plan, 0, enough > countable ? enough : countable);
    *why = "there are so few messages that the proof follows them all; --proof off allows it";
    if (least_messages == 0 || sends >= enough) {
        try_shifts(&search, plan, finest, 1);
        try_shifts(&search, plan, finest, 2);
        symmetry = fold(&search);
        if (symmetry) symmetry->counts_digest = sends < countable;
        if (!symmetry)
            *why = "no shift leaves links, routes and steps as they are; of equal blocks on equal links some does, all-to-all in "
                   "\"order\": \"shift\"";
        if (symmetry && least_messages > 0 && !posts_more(&search, plan, symmetry, least_messages)) {
            symmetry_free(symmetry);
            symmetry = NULL;
        }
    }
    pages_free(search.peers);
    pages_free(search.image_peers);
    pages_free(search.step.operations);
    pages_free(search.image.operations);
    return symmetry;
}

void symmetry_free(struct symmetry *symmetry) {
    if (!symmetry) return;
    quotient_free(symmetry->quotient);
    free(symmetry->hosted);
    free(symmetry);
}

// ---- afterwards

void symmetry_expand(struct symmetry *symmetry, struct communicator *comm, struct run_result *result) {
    const struct quotient *quotient = symmetry->quotient;
    uint64_t order = translations_order(&quotient->group);
    struct shortcut_saving *saving = &result->savings[SHORTCUT_SYMMETRY];
    *saving = (struct shortcut_saving){
        .uses = quotient->endpoint_count, .messages = result->messages * (order - 1), .chunk_hops = result->chunk_hops * (order - 1)};
    result->messages *= order, result->chunks *= order, result->chunk_hops *= order;
    result->bytes_on_links *= order;
    result->has_orbit_digest = true;
    result->orbit_digest = sim_orbit_digest(communicator_sim(comm));
    result->no_digest = !communicator_digest_known(comm);
    for (uint32_t rank = 0; rank < result->ranks; rank++) {
        uint32_t representative = translations_representative(&quotient->group, rank);
        result->bytes_sent[rank] = result->bytes_sent[representative];
        for (size_t i = 0; i < result->collective_count; i++)
            result->collectives[i].rank_end_ticks[rank] = result->collectives[i].rank_end_ticks[representative];
    }
    free(result->loads);
    result->load_count = quotient->folded.link_count;
    result->loads = allocate_zeroed(result->load_count, sizeof *result->loads);
    result->quotient = symmetry->quotient;
    symmetry->quotient = NULL;
}
