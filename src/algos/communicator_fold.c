// One rank stands for all that a group of translations takes it to: what it is sent, and what it sends, is that of every image.
#include <stdlib.h>

#include "algos/communicator_state.h"
#include "engine/quotient.h"

struct fold {
    const struct quotient *quotient;
    const struct translations *group;
    uint64_t order;
    uint64_t digest_left; ///< deliveries that the digest may still count
    bool digest_left_out; ///< there were more
    uint32_t *from, *to;  ///< per coordinate: its part of the number of each image
};

/// Deliveries that leave some receive open in every step that is under way: a step that ends is all that they can set off.
static uint64_t quiet(void *context) {
    const struct communicator *comm = context;
    const struct quotient *quotient = comm->fold->quotient;
    uint64_t least = UINT64_MAX;
    for (size_t c = 0; c < comm->collective_count; c++) {
        const struct collective *collective = comm->collectives[c];
        if (!collective) continue;
        for (uint32_t i = 0; i < quotient->endpoint_count; i++) {
            const struct task *task = &collective->tasks[quotient->nodes[i].node * collective->machines];
            for (uint32_t m = 0; m < collective->machines; m++) {
                uint64_t more = task[m].pending > 0 ? task[m].pending - 1 : 0;
                if (task[m].state == IN_STEP && more < least) least = more;
            }
        }
    }
    return least == UINT64_MAX ? 0 : least;
}

void communicator_fold(struct communicator *comm, const struct quotient *quotient, uint64_t most_deliveries) {
    struct fold *fold = comm->fold = allocate_zeroed(1, sizeof *fold);
    fold->quotient = quotient;
    fold->group = &quotient->group;
    fold->order = translations_order(fold->group);
    fold->digest_left = most_deliveries;
    size_t parts = 0;
    for (uint32_t i = 0; i < fold->group->count; i++) parts += fold->group->radix[i] / fold->group->step[i];
    fold->from = allocate(parts * sizeof *fold->from);
    fold->to = allocate(parts * sizeof *fold->to);
    sim_fold(comm->sim, quotient, quiet);
}

void communicator_fold_free(struct communicator *comm) {
    if (!comm->fold) return;
    free(comm->fold->from);
    free(comm->fold->to);
    free(comm->fold);
}

static void fill_parts(const struct translations *group, uint32_t rank, uint32_t *parts) {
    uint32_t stride = 1;
    for (uint32_t i = group->count; i-- > 0; stride *= group->radix[i]) {
        uint32_t at = rank % group->radix[i];
        rank /= group->radix[i];
        for (uint32_t shift = 0; shift < group->radix[i]; shift += group->step[i]) {
            *parts++ = at * stride;
            at += group->step[i];
            if (at >= group->radix[i]) at -= group->radix[i];
        }
    }
}

/// A delivery whose images are counted.
struct images {
    const struct fold *fold;
    struct digest *digest;
    uint64_t instant;
    int64_t bytes;
};

/// Those of all translations along the coordinates below `coordinate`, whose parts start at `part`.
static void add_images(const struct images *images, uint32_t coordinate, size_t part, uint32_t from, uint32_t to) {
    const struct fold *fold = images->fold;
    if (coordinate == 0) {
        digest_add_at(images->digest, images->instant, to, from, images->bytes);
        return;
    }
    coordinate--;
    uint32_t count = fold->group->radix[coordinate] / fold->group->step[coordinate];
    for (uint32_t i = 0; i < count; i++) add_images(images, coordinate, part + count, from + fold->from[part + i], to + fold->to[part + i]);
}

void communicator_fold_delivery(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, struct envelope *envelope) {
    struct fold *fold = comm->fold;
    if (!fold->digest_left_out && fold->digest_left >= fold->order) {
        fold->digest_left -= fold->order;
        fill_parts(fold->group, from, fold->from);
        fill_parts(fold->group, to, fold->to);
        add_images(&(struct images){fold, &comm->digest, digest_instant(comm->now), bytes}, fold->group->count, 0, 0, 0);
    } else {
        fold->digest_left_out = true;
    }
    uint32_t machines = comm->collectives[envelope->collective]->machines, by = translations_offset(fold->group, to);
    envelope->task -= by * machines;
    envelope->sender = translations_subtract(fold->group, from, by);
}

bool communicator_digest_known(const struct communicator *comm) { return !comm->fold || !comm->fold->digest_left_out; }
