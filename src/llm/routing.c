// Drawing evenly is systematic sampling (Madow, 1949): experts lie on a line, each as long as its share of all picks, and a
// token takes those that lie at u, u + 1, u + 2, …; over all tokens u passes evenly from 0 to 1. No expert is longer than 1,
// so a token's are different; what one would be longer goes to the others.
#include "llm/routing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

#define ONE (INT64_C(1) << 40)
enum { MOST_TRIES = 64 };

/// Some neighbouring experts (or nodes) of which `picks` are chosen.
struct line {
    uint32_t count, picks;
    int64_t *ends; ///< even: where each ends, `picks` x ONE in all; random: sums of weights
};

struct routing {
    uint32_t picks;
    enum draw draw;
    uint64_t seed;
    struct line all; ///< of experts; with a limit of nodes
    uint32_t limit;  ///< 0: none
    uint32_t nodes, *node_experts;
    struct line *inside[2]; ///< by node: of its experts, one more pick and without
};

// ---- making lines

/// What is left to share out once those are set apart that fill a whole pick.
struct rest {
    int64_t weight, picks;
};

static struct rest set_apart(const int64_t *weights, uint32_t count, int64_t picks, bool *whole) {
    struct rest rest = {0, picks};
    for (uint32_t i = 0; i < count; i++) rest.weight += weights[i];
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < count; i++) {
            if (whole[i] || rest.picks == 0 || weights[i] == 0 || (__int128)weights[i] * rest.picks < rest.weight) continue;
            whole[i] = again = true;
            rest.weight -= weights[i];
            rest.picks--;
        }
    }
    return rest;
}

static void lay_out(struct line *line, const int64_t *weights) {
    bool *whole = allocate_zeroed(line->count, sizeof *whole);
    const struct rest rest = set_apart(weights, line->count, line->picks, whole);
    int64_t shared = 0, end = 0, before = 0;
    for (uint32_t i = 0; i < line->count; i++) {
        if (whole[i]) {
            end += ONE;
        } else if (rest.weight > 0) {
            shared += weights[i];
            int64_t place = (int64_t)((__int128)shared * rest.picks * ONE / rest.weight);
            end += place - before;
            before = place;
        }
        line->ends[i] = end;
    }
    free(whole);
}

static bool make_line(struct line *line, const int64_t *weights, enum draw draw, struct error *err) {
    uint32_t usable = 0;
    for (uint32_t i = 0; i < line->count; i++) usable += weights[i] > 0;
    if (usable < line->picks)
        return error_set(err, ERROR_INPUT, "a token is sent to %u different ones of %u of which %u are used at all", line->picks,
                         line->count, usable);
    line->ends = allocate(line->count * sizeof *line->ends);
    if (draw == DRAW_EVEN) {
        lay_out(line, weights);
        return true;
    }
    int64_t sum = 0;
    for (uint32_t i = 0; i < line->count; i++) line->ends[i] = sum += weights[i];
    return true;
}

static bool make_limited(struct routing *routing, const struct routing_config *config, struct error *err) {
    int64_t *weights = allocate_zeroed(config->nodes, sizeof *weights);
    uint32_t each = config->picks / config->node_limit;
    bool ok = true;
    routing->limit = config->node_limit, routing->nodes = config->nodes;
    routing->node_experts = allocate((config->nodes + 1) * sizeof *routing->node_experts);
    memcpy(routing->node_experts, config->node_experts, (config->nodes + 1) * sizeof *routing->node_experts);
    for (int more = 0; more < 2; more++) routing->inside[more] = allocate_zeroed(config->nodes, sizeof *routing->inside[more]);
    for (uint32_t node = 0; node < config->nodes; node++) {
        uint32_t first = config->node_experts[node], count = config->node_experts[node + 1] - first;
        for (uint32_t i = 0; i < count; i++) weights[node] += config->weights[first + i];
        for (uint32_t more = 0; ok && weights[node] > 0 && more < 2; more++) {
            struct line *line = &routing->inside[more][node];
            *line = (struct line){.count = count, .picks = each + more};
            if (more == 0 || config->picks % config->node_limit > 0) ok = make_line(line, config->weights + first, config->draw, err);
        }
    }
    routing->all = (struct line){.count = config->nodes, .picks = config->node_limit};
    ok = ok && make_line(&routing->all, weights, config->draw, err);
    free(weights);
    return ok;
}

struct routing *routing_create(const struct routing_config *config, struct error *err) {
    struct routing *routing = allocate_zeroed(1, sizeof *routing);
    routing->picks = config->picks, routing->draw = config->draw, routing->seed = config->seed;
    bool ok;
    if (config->node_limit > 0 && config->node_limit < config->nodes && config->node_limit < config->picks) {
        ok = make_limited(routing, config, err);
    } else {
        routing->all = (struct line){.count = config->experts, .picks = config->picks};
        ok = make_line(&routing->all, config->weights, config->draw, err);
    }
    if (ok) return routing;
    routing_free(routing);
    return NULL;
}

void routing_free(struct routing *routing) {
    if (!routing) return;
    for (int more = 0; more < 2; more++) {
        for (uint32_t node = 0; node < routing->nodes; node++) free(routing->inside[more][node].ends);
        free(routing->inside[more]);
    }
    free(routing->all.ends);
    free(routing->node_experts);
    free(routing);
}

// ---- drawing

/// The first whose end lies beyond the point.
static uint32_t find(const struct line *line, int64_t point) {
    uint32_t low = 0, high = line->count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (line->ends[middle] > point)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void pick_even(const struct line *line, int64_t u, uint32_t *out) {
    for (uint32_t i = 0; i < line->picks; i++) out[i] = find(line, u + i * ONE);
}

static bool holds(const uint32_t *items, uint32_t count, uint32_t item) {
    for (uint32_t i = 0; i < count; i++)
        if (items[i] == item) return true;
    return false;
}

/// One that was not drawn before, by what weights are left.
static uint32_t draw_rest(const struct line *line, struct random_stream *stream, const uint32_t *drawn, uint32_t count) {
    int64_t left = line->ends[line->count - 1], before = 0;
    for (uint32_t i = 0; i < count; i++) left -= line->ends[drawn[i]] - (drawn[i] ? line->ends[drawn[i] - 1] : 0);
    int64_t point = (int64_t)random_below(stream, (uint64_t)left);
    for (uint32_t i = 0;; i++) {
        int64_t weight = line->ends[i] - before;
        before = line->ends[i];
        if (holds(drawn, count, i)) continue;
        if (point < weight) return i;
        point -= weight;
    }
}

static void pick_random(const struct line *line, struct random_stream *stream, uint32_t *out) {
    uint64_t all = (uint64_t)line->ends[line->count - 1];
    for (uint32_t i = 0; i < line->picks; i++) {
        int tries = 0;
        do out[i] = find(line, (int64_t)random_below(stream, all));
        while (holds(out, i, out[i]) && ++tries < MOST_TRIES);
        if (tries == MOST_TRIES) out[i] = draw_rest(line, stream, out, i);
    }
}

/// Where a token stands between 0 and ONE: evenly over all of them, and of the experts inside nodes so that it does not go
/// with the choice of nodes (multiples of the golden ratio).
static int64_t even_place(uint64_t token, uint64_t tokens) { return (int64_t)((unsigned __int128)(2 * token + 1) * ONE / (2 * tokens)); }
static int64_t golden_place(uint64_t token) { return (int64_t)(token * UINT64_C(0x9e3779b97f4a7c15) >> 24); }

static void pick(const struct routing *routing, const struct line *line, int64_t u, struct random_stream *stream, uint32_t *out) {
    if (routing->draw == DRAW_EVEN)
        pick_even(line, u, out);
    else
        pick_random(line, stream, out);
}

void routing_pick(const struct routing *routing, uint64_t token, uint64_t tokens, uint32_t *out) {
    struct random_stream stream;
    if (routing->draw == DRAW_RANDOM) random_seed(&stream, routing->seed ^ mix64(token));
    if (routing->limit == 0) {
        pick(routing, &routing->all, even_place(token, tokens), &stream, out);
        return;
    }
    uint32_t nodes[ROUTING_NODE_LIMIT], used = 0, more = routing->picks % routing->limit;
    pick(routing, &routing->all, even_place(token, tokens), &stream, nodes);
    for (uint32_t i = 0; i < routing->limit; i++) {
        const struct line *line = &routing->inside[(i + token) % routing->limit < more][nodes[i]];
        pick(routing, line, golden_place(token), &stream, out + used);
        for (uint32_t e = 0; e < line->picks; e++) out[used + e] += routing->node_experts[nodes[i]];
        used += line->picks;
    }
}
