// Closed forms of grids. Hops summed over ordered pairs of coordinates of one dim of length k: k * floor(k^2 / 4) where it
// wraps, k(k^2 - 1) / 3 on a mesh, k^2(k - 1) / 2 one way; every such pair occurs (N / k)^2 times.
#include "base/memory.h"
#include "topo/grid.h"

uint32_t grid_diameter(const struct topology *topology) {
    const struct grid *grid = topology->state;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < topology->dim_count; i++) {
        uint32_t length = topology->dims[i];
        sum += grid->wraps && !grid->one_way ? length / 2 : length - 1;
    }
    return sum;
}

unsigned __int128 grid_total_hops(const struct topology *topology) {
    const struct grid *grid = topology->state;
    unsigned __int128 total = 0;
    for (uint32_t i = 0; i < topology->dim_count; i++) {
        unsigned __int128 k = topology->dims[i], others = topology->graph.endpoints / topology->dims[i];
        unsigned __int128 along = !grid->wraps ? k * (k * k - 1) / 3 : grid->one_way ? k * k * (k - 1) / 2 : k * (k * k / 4);
        total += along * others * others;
    }
    return total;
}

// The order of dims in which the best cut slices the grid. Cutting across a dim of k crosses its cables once (a mesh, a
// single cable of a dim of 2) or twice (round the wrap) for every line along it; an odd dim leaves a middle layer, which
// the next dim of the order halves, and so on up to the first even one.
struct slicing {
    const struct grid *grid;
    uint32_t dim_count;
    uint64_t best; ///< directed links one way
    uint32_t best_count, best_order[MAX_DIMS];
    uint32_t count, order[MAX_DIMS];
    bool used[MAX_DIMS];
};

static void search_order(struct slicing *s, uint64_t lines, uint64_t crossed) {
    bool leaf = true;
    for (uint32_t i = 0; i < s->dim_count; i++) {
        const struct axis *axis = &s->grid->axes[i];
        if (s->used[i] || axis->length == 1) continue;
        leaf = false;
        uint64_t rest = lines / axis->length, cost = crossed + rest * (s->grid->wraps ? axis->weight : 1);
        if (cost >= s->best) continue;
        s->order[s->count++] = i;
        if (axis->length % 2 == 0) {
            s->best = cost, s->best_count = s->count;
            for (uint32_t j = 0; j < s->count; j++) s->best_order[j] = s->order[j];
        } else {
            s->used[i] = true;
            search_order(s, rest, cost);
            s->used[i] = false;
        }
        s->count--;
    }
    if (!leaf) return;
    s->best = crossed, s->best_count = s->count;
    for (uint32_t j = 0; j < s->count; j++) s->best_order[j] = s->order[j];
}

static uint8_t side_of(const struct slicing *s, uint32_t packed) {
    for (uint32_t j = 0; j < s->best_count; j++) {
        const struct axis *axis = &s->grid->axes[s->best_order[j]];
        uint32_t at = packed >> axis->shift & axis->mask, half = axis->length / 2;
        if (axis->length % 2 == 0 || at != half) return at >= half;
    }
    return 1;
}

void grid_bisect(const struct topology *topology, struct bisection *out) {
    const struct grid *grid = topology->state;
    struct slicing slicing = {.grid = grid, .dim_count = topology->dim_count, .best = UINT64_MAX};
    uint32_t endpoints = topology->graph.endpoints;
    search_order(&slicing, endpoints, 0);
    out->known = true;
    // A one-way ring is cut in two places, by one directed link each: two half cables (weight 1) make one.
    out->cables = slicing.best;
    out->side = allocate_zeroed(endpoints, 1);
    for (uint32_t e = 0; e < endpoints; e++) out->side[e] = side_of(&slicing, grid->packed[e]);
}
