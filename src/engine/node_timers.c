#include "engine/node_timers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void node_timers_init(struct node_timers *timers, uint32_t places) {
    *timers = (struct node_timers){.first = allocate(places * sizeof *timers->first), .free = NO_TIMER};
    memset(timers->first, 0xff, places * sizeof *timers->first);
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

void node_timers_add(struct node_timers *timers, uint32_t place, const struct node_timer *timer) {
    uint32_t index = timers->free;
    if (index != NO_TIMER) {
        timers->free = timers->items[index].sibling;
    } else {
        ARRAY_RESERVE(timers->items, timers->item_capacity, timers->item_count + 1);
        index = (uint32_t)timers->item_count++;
    }
    timers->items[index] = *timer;
    timers->items[index].child = NO_TIMER;
    uint32_t *first = &timers->first[place];
    *first = *first == NO_TIMER ? index : meld(timers->items, *first, index);
    timers->live++;
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

uint32_t node_timers_pop(struct node_timers *timers, uint32_t place) {
    uint32_t index = timers->first[place];
    struct node_timer *timer = &timers->items[index];
    timers->first[place] = meld_all(timers->items, timer->child);
    timer->sibling = timers->free;
    timers->free = index;
    timers->live--;
    return timer->cookie;
}
