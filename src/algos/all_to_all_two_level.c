// Two-level all-to-all on nodes of g ranks: inside the node each rank hands the device of equal number in it whatever goes to
// that device of any node; then each rank exchanges with the ranks of its own number in the other nodes, over its rail, all
// that its node has for them. (g-1)(alpha_in + n/(g beta_in)) + (p/g-1)(alpha_out + g n/(p beta_out)): the messages between
// nodes are p/g - 1 a rank, g times as large as those of the direct method, and never change rails.
// NVIDIA: Doubling all2all performance with NCCL 2.12 (2022), "PXN".
//
// Between the phases, what node a's rank x has for rank i of node b is with rank i of node a, in slot p + b g + x of its
// result: behind the slots that are there in the end.
#include "algos/algorithm.h"
#include "algos/exchange_steps.h"

static const char *const options[] = {"schedule", NULL};

static bool accepts(const struct collective_args *args, struct error *err) {
    uint32_t g = args->group_size;
    if (g == 0)
        return error_at(err, "algorithm",
                        "two-level needs nodes of several ranks (a cluster, all its endpoints); direct runs on any shape");
    if (args->size % g == 0) return true;
    return error_at(err, "algorithm", "two-level needs a multiple of the %u ranks of a node, not %u ranks; direct takes any number", g,
                    args->size);
}

/// Steps of an exchange among `size` ranks.
static uint32_t exchange_steps(const struct collective_args *args, uint32_t size) {
    return args->schedule == SCHEDULE_STEPS || size == 1 ? size - 1 : 1;
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    uint32_t g = args->group_size;
    return (uint64_t)exchange_steps(args, g) + exchange_steps(args, args->size / g);
}

/// The message inside the node by which `from` hands over what it has for the ranks of `to`'s number.
static void add_inside(const struct collective_args *args, const struct view *view, uint32_t peer, bool is_send, struct step *out) {
    uint32_t p = args->size, g = args->group_size;
    uint32_t from = is_send ? view->rank : peer, device = (is_send ? peer : view->rank) % g;
    for (uint32_t b = 0; b < p / g; b++) {
        uint32_t home = b * g + device;
        struct span span = exchange_span(args, from, home, is_send ? home : p + b * g + from % g);
        enum vector vector = is_send ? VECTOR_DATA : VECTOR_RESULT;
        if (home == view->rank && !is_send) span = exchange_span(args, from, home, from);
        if (b > 0)
            step_join(out, span, vector);
        else
            exchange_add(out, view, peer, is_send, span, vector);
    }
}

/// The message over the rail that carries all that the sender's node has for its receiver.
static void add_between(const struct collective_args *args, const struct view *view, uint32_t peer, bool is_send, struct step *out) {
    uint32_t g = args->group_size, from = is_send ? view->rank : peer, home = is_send ? peer : view->rank;
    uint32_t from_node = from - from % g, home_node = home - home % g;
    for (uint32_t x = 0; x < g; x++) {
        uint32_t source = from_node + x;
        bool own = source == view->rank;
        uint32_t staged = args->size + home_node + x;
        struct span span = exchange_span(args, source, home, !is_send ? source : own ? home : staged);
        enum vector vector = own ? VECTOR_DATA : VECTOR_RESULT;
        if (x > 0)
            step_join(out, span, vector);
        else
            exchange_add(out, view, peer, is_send, span, vector);
    }
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint32_t g = args->group_size, p = args->size, device = view->rank % g, node = view->rank - device;
    uint32_t inside = exchange_steps(args, g);
    bool all = args->schedule == SCHEDULE_ALL_AT_ONCE, within = k < inside;
    uint32_t size = within ? g : p / g, at = (uint32_t)(within ? k : k - inside);
    uint32_t first = all ? 1 : at + 1, end = all ? size : first + 1;
    step_phase(out, within ? "inside the nodes" : "between nodes", at, within ? inside : exchange_steps(args, p / g));
    for (uint32_t i = first; i < end; i++) {
        if (within)
            add_inside(args, view, node + (device + i) % g, true, out);
        else
            add_between(args, view, (uint32_t)(((uint64_t)view->rank + (uint64_t)i * g) % p), true, out);
    }
    for (uint32_t i = first; i < end; i++) {
        if (within)
            add_inside(args, view, node + (device + g - i) % g, false, out);
        else
            add_between(args, view, (uint32_t)(((uint64_t)view->rank + p - (uint64_t)i * g) % p), false, out);
    }
}

const struct algorithm all_to_all_two_level_algorithm = {
    .kind = ALL_TO_ALL,
    .name = "two-level",
    .summary = "inside the node to the device on the right rail, then over the rail: few large messages between nodes",
    .options = options,
    .accepts = accepts,
    .steps = steps,
    .step = step,
};
