// In-network reduction: switches of a tree hold chunk k until it has come from every child, then send one chunk on, up to
// the parent or, at the root, back down to all. Chunks of one child come in order, so a switch keeps a queue of the
// chunks that some children have sent and others have not.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "engine/sim_state.h"

struct child {
    uint32_t up_link, down_link;
    uint32_t member;     ///< of the group; NO_NODE: a switch
    uint32_t site;       ///< a switch's
    uint64_t next_chunk; ///< the chunk that comes next from it
};

struct partial {
    uint32_t children; ///< how many it has come from
    int64_t tail;      ///< the latest
};

/// One switch of one group.
struct reduction_site {
    uint32_t group;
    uint32_t parent; ///< a site; NO_NODE at the root
    uint32_t up_link, down_link;
    uint32_t child_count;
    struct child *children;   ///< sorted by up_link
    struct partial *partials; ///< a ring, of the chunks from first_chunk on
    uint64_t first_chunk;
    uint32_t head, count, capacity;
    uint64_t next_down; ///< the chunk that comes next from the parent
    int64_t reducer_free_at;
    uint32_t next_free;
};

struct reduction_group {
    int64_t bytes, reduce_bytes_per_s;
    uint32_t member_count, site_count;
    uint32_t *sites;    ///< of the tree's nodes
    uint32_t *messages; ///< of the members
    struct tree_member *members;
};

static uint32_t new_site(struct sim *sim) {
    uint32_t id = sim->free_site;
    if (id == UINT32_MAX) {
        ARRAY_RESERVE(sim->sites, sim->site_capacity, sim->site_count + 1);
        id = (uint32_t)sim->site_count++;
    } else {
        sim->free_site = sim->sites[id].next_free;
    }
    sim->sites[id] = (struct reduction_site){.parent = NO_NODE};
    return id;
}

static void add_child(struct reduction_site *site, struct child child) {
    size_t capacity = site->child_count;
    if ((site->child_count & (site->child_count - 1)) == 0) // grows at powers of two
        site->children = reallocate(site->children, (capacity ? 2 * capacity : 1) * sizeof child);
    site->children[site->child_count++] = child;
}

static int by_up_link(const void *left, const void *right) {
    const struct child *a = left, *b = right;
    return a->up_link < b->up_link ? -1 : a->up_link > b->up_link;
}

static uint32_t new_group_id(struct sim *sim) {
    for (uint32_t id = 0; id < sim->group_count; id++)
        if (!sim->groups[id]) return id;
    ARRAY_RESERVE(sim->groups, sim->group_capacity, sim->group_count + 1);
    return (uint32_t)sim->group_count++;
}

uint32_t sim_group_create(struct sim *sim, const struct reduction_tree *tree, int64_t bytes, int64_t reduce_bytes_per_s) {
    uint32_t id = new_group_id(sim);
    struct reduction_group *group = sim->groups[id] = allocate_zeroed(1, sizeof *group);
    group->bytes = bytes, group->reduce_bytes_per_s = reduce_bytes_per_s;
    group->member_count = tree->member_count, group->site_count = tree->node_count;
    group->messages = allocate_zeroed(tree->member_count, sizeof *group->messages);
    group->members =
        memcpy(allocate(tree->member_count * sizeof *group->members), tree->members, tree->member_count * sizeof *group->members);
    group->sites = allocate(tree->node_count * sizeof *group->sites);
    for (uint32_t i = 0; i < tree->node_count; i++) group->sites[i] = new_site(sim);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        struct reduction_site *site = &sim->sites[group->sites[i]];
        site->group = id, site->up_link = node->up_link, site->down_link = node->down_link;
        if (node->parent == NO_NODE) continue;
        site->parent = group->sites[node->parent];
        add_child(&sim->sites[site->parent], (struct child){node->up_link, node->down_link, NO_NODE, group->sites[i], 0});
    }
    for (uint32_t i = 0; i < tree->member_count; i++) {
        const struct tree_member *member = &tree->members[i];
        add_child(&sim->sites[group->sites[member->parent]], (struct child){member->up_link, member->down_link, i, NO_NODE, 0});
    }
    for (uint32_t i = 0; i < tree->node_count; i++) {
        struct reduction_site *site = &sim->sites[group->sites[i]];
        qsort(site->children, site->child_count, sizeof *site->children, by_up_link);
    }
    return id;
}

void sim_group_free(struct sim *sim, uint32_t id) {
    struct reduction_group *group = sim->groups[id];
    for (uint32_t i = 0; i < group->site_count; i++) {
        struct reduction_site *site = &sim->sites[group->sites[i]];
        free(site->children);
        free(site->partials);
        *site = (struct reduction_site){.next_free = sim->free_site};
        sim->free_site = group->sites[i];
    }
    free(group->sites);
    free(group->messages);
    free(group->members);
    free(group);
    sim->groups[id] = NULL;
}

void sim_groups_free(struct sim *sim) {
    for (uint32_t id = 0; id < sim->group_count; id++)
        if (sim->groups[id]) sim_group_free(sim, id);
    free(sim->groups);
    free(sim->sites);
    heap_free(&sim->reductions);
}

struct message *sim_post_reduced(struct sim *sim, uint32_t id, uint32_t member, uint32_t major, uint32_t minor) {
    struct reduction_group *group = sim->groups[id];
    uint32_t endpoint = group->members[member].endpoint;
    struct message *message = sim_post(sim, endpoint, endpoint, group->bytes, major, minor);
    message->next = id + 1;
    message->number = member; // its routes do not depend on a number
    group->messages[member] = sim_message_id(sim, message);
    return message;
}

uint32_t sim_group_first_link(const struct sim *sim, uint32_t message, uint32_t *destination) {
    const struct reduction_group *group = sim->groups[sim->messages[message].next - 1];
    const struct tree_member *member = &group->members[sim->messages[message].number];
    *destination = REDUCTION_BIT | group->sites[member->parent];
    return member->up_link;
}

int64_t sim_group_bytes(const struct sim *sim, uint32_t site) { return sim->groups[sim->sites[site].group]->bytes; }

// ---- at a switch

static struct partial *partial_at(struct reduction_site *site, uint64_t chunk) {
    uint64_t index = chunk - site->first_chunk;
    while (index >= site->count) {
        if (site->count == site->capacity) {
            uint32_t capacity = site->capacity ? 2 * site->capacity : 4;
            struct partial *grown = allocate(capacity * sizeof *grown);
            for (uint32_t i = 0; i < site->count; i++) grown[i] = site->partials[(site->head + i) & (site->capacity - 1)];
            free(site->partials);
            site->partials = grown, site->capacity = capacity, site->head = 0;
        }
        site->partials[(site->head + site->count++) & (site->capacity - 1)] = (struct partial){0, 0};
    }
    return &site->partials[(site->head + (uint32_t)index) & (site->capacity - 1)];
}

static struct chunk chunk_to(struct sim *sim, const struct reduction_group *group, uint64_t number, int64_t tail) {
    return (struct chunk){
        .join = sim->now,
        .tail = tail,
        .message = group->messages[0],
        .size_class = sim_size_class(sim, sim_chunk_bytes(sim, group->bytes, number)) & 0xfff,
    };
}

static void emit(struct join_list *joins, uint32_t link, const struct chunk *chunk) {
    ARRAY_RESERVE(joins->items, joins->capacity, joins->count + 1);
    joins->items[joins->count++] = (struct join){link, 0, *chunk};
}

static void send_down(struct sim *sim, const struct reduction_site *site, uint64_t number, int64_t tail, struct join_list *joins) {
    const struct reduction_group *group = sim->groups[site->group];
    struct chunk chunk = chunk_to(sim, group, number, tail);
    for (uint32_t i = 0; i < site->child_count; i++) {
        const struct child *child = &site->children[i];
        if (child->member == NO_NODE) {
            chunk.message = group->messages[0];
            chunk.destination = REDUCTION_BIT | child->site;
        } else {
            chunk.message = group->messages[child->member];
            chunk.destination = group->members[child->member].endpoint;
        }
        emit(joins, child->down_link, &chunk);
    }
}

/// The oldest chunk is complete: up to the parent, or back down from the root.
static void send_on(struct sim *sim, struct reduction_site *site, struct join_list *joins) {
    uint64_t number = site->first_chunk++;
    int64_t tail = site->partials[site->head].tail;
    site->head = (site->head + 1) & (site->capacity - 1);
    site->count--;
    if (site->parent == NO_NODE) {
        send_down(sim, site, number, tail, joins);
        return;
    }
    struct chunk chunk = chunk_to(sim, sim->groups[site->group], number, tail);
    chunk.destination = REDUCTION_BIT | site->parent;
    emit(joins, site->up_link, &chunk);
}

/// Chunk `number` has come from all children, and chunks complete in order: sends it on now, or when the reducer is free.
static void reduce(struct sim *sim, struct reduction_site *site, uint64_t number, struct join_list *joins) {
    const struct reduction_group *group = sim->groups[site->group];
    if (group->reduce_bytes_per_s == 0) {
        send_on(sim, site, joins);
        return;
    }
    int64_t begin = sim->now > site->reducer_free_at ? sim->now : site->reducer_free_at, ticks, end;
    if (!transfer_ticks(sim_chunk_bytes(sim, group->bytes, number), group->reduce_bytes_per_s, sim->config.ticks_per_s, &ticks) ||
        __builtin_add_overflow(begin, ticks, &end)) {
        sim->overflowed = true;
        error_set(sim->error, ERROR_SIMULATION, "the clock overflows in a switch that reduces; choose the larger tick \"1ps\"");
        return;
    }
    site->reducer_free_at = end;
    struct partial *partial = partial_at(site, number);
    if (end > partial->tail) partial->tail = end;
    if (begin == sim->now)
        send_on(sim, site, joins);
    else
        heap_push(&sim->reductions, (struct heap_entry){begin, (uint64_t)(site - sim->sites), (uint64_t)(site - sim->sites)});
}

static struct child *find_child(struct reduction_site *site, uint32_t up_link) {
    const struct child key = {.up_link = up_link};
    struct child *child = bsearch(&key, site->children, site->child_count, sizeof key, by_up_link);
    if (!child) fatal("a chunk came to a reduction group by link %u, which is not of its tree", up_link);
    return child;
}

static void take(struct sim *sim, const struct reduced_chunk *arrival, struct join_list *joins) {
    struct reduction_site *site = &sim->sites[arrival->chunk.destination & ~REDUCTION_BIT];
    if (site->parent != NO_NODE && arrival->in_link == site->down_link) {
        send_down(sim, site, site->next_down++, arrival->chunk.tail, joins);
        return;
    }
    uint64_t number = find_child(site, arrival->in_link)->next_chunk++;
    struct partial *partial = partial_at(site, number);
    if (arrival->chunk.tail > partial->tail) partial->tail = arrival->chunk.tail;
    if (++partial->children == site->child_count) reduce(sim, site, number, joins);
}

/// What a switch with a finite rate has begun to send on by now.
static void emit_due(struct sim *sim, struct join_list *joins) {
    while (sim->reductions.count > 0 && sim->reductions.entries[0].time == sim->now) {
        struct reduction_site *site = &sim->sites[heap_pop(&sim->reductions).payload];
        send_on(sim, site, joins);
    }
}

static int by_site_and_link(const void *left, const void *right) {
    const struct reduced_chunk *a = left, *b = right;
    if (a->chunk.destination != b->chunk.destination) return a->chunk.destination < b->chunk.destination ? -1 : 1;
    return a->in_link < b->in_link ? -1 : a->in_link > b->in_link;
}

void sim_reduce(struct sim *sim, struct reduced_chunk *chunks, size_t count, struct join_list *joins) {
    emit_due(sim, joins);
    if (count > 1) qsort(chunks, count, sizeof *chunks, by_site_and_link);
    for (size_t i = 0; i < count; i++) take(sim, &chunks[i], joins);
}
