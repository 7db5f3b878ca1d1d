#include "engine/node_timers.h"

#include <stdlib.h>

#include "base/memory.h"

void node_timers_init(struct node_timers *timers, uint32_t places) {
    *timers = (struct node_timers){.first = allocate(places * sizeof *timers->first), .free = NO_TIMER};
    for (uint32_t p = 0; p < places; p++)
        timers->first[p] = (struct node_timer){.time = INT64_MAX, .sequence = NO_SEQUENCE, .child = NO_TIMER, .sibling = NO_TIMER};
}

void node_timers_free(struct node_timers *timers) {
    free(timers->first);
    free(timers->items);
    *timers = (struct node_timers){0};
}

static bool before(const struct node_timer *a, const struct node_timer *b) {
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

/// Makes the later of two roots a child of the other; returns that one.
static uint32_t meld(struct node_timer *items, uint32_t a, uint32_t b) {
    uint32_t first = before(&items[a], &items[b]) ? a : b, later = first == a ? b : a;
    items[later].sibling = items[first].child;
    items[first].child = later;
    return first;
}

static uint32_t new_item(struct node_timers *timers) {
    uint32_t index = timers->free;
    if (index == NO_TIMER) {
        ARRAY_RESERVE(timers->items, timers->item_capacity, timers->item_count + 1);
        return (uint32_t)timers->item_count++;
    }
    timers->free = timers->items[index].sibling;
    return index;
}

void node_timers_add_another(struct node_timers *timers, uint32_t place, int64_t time, uint64_t sequence, uint32_t cookie) {
    const struct node_timer timer = {.time = time, .sequence = sequence, .cookie = cookie, .child = NO_TIMER, .sibling = NO_TIMER};
    uint32_t index = new_item(timers);
    struct node_timer *item = &timers->items[index], *first = &timers->first[place];
    if (before(&timer, first)) {
        *item = *first;
        *first = timer;
    } else {
        *item = timer;
        item->sibling = first->child;
    }
    first->child = index;
}

/// One heap of many: in pairs, then one after the other, from the last pair back.
static uint32_t meld_all(struct node_timer *items, uint32_t child) {
    uint32_t pairs = NO_TIMER;
    while (child != NO_TIMER) {
        uint32_t pair = child, partner = items[child].sibling;
        child = NO_TIMER;
        if (partner != NO_TIMER) {
            child = items[partner].sibling;
            pair = meld(items, pair, partner);
        }
        items[pair].sibling = pairs;
        pairs = pair;
    }
    uint32_t root = NO_TIMER;
    while (pairs != NO_TIMER) {
        uint32_t next = items[pairs].sibling;
        root = root == NO_TIMER ? pairs : meld(items, root, pairs);
        pairs = next;
    }
    return root;
}

void node_timers_find_first(struct node_timers *timers, uint32_t place) {
    struct node_timer *first = &timers->first[place];
    uint32_t index = meld_all(timers->items, first->child);
    *first = timers->items[index];
    first->sibling = NO_TIMER;
    timers->items[index].sibling = timers->free;
    timers->free = index;
}

void node_timers_sift_first(struct node_timers *timers, uint32_t place) {
    const struct node_timer late = timers->first[place], *child = &timers->items[late.child];
    if (child->sibling == NO_TIMER && before(&late, child)) return;
    node_timers_find_first(timers, place);
    node_timers_add_another(timers, place, late.time, late.sequence, late.cookie);
}
