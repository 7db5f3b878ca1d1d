#include "algos/matching.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { EMPTY = UINT32_MAX, TAKEN = UINT32_MAX - 1 }; // senders that no rank has

struct want_set *want_set_create(uint32_t wants) {
    uint32_t slots = 4;
    while (slots < 2 * wants) slots *= 2;
    struct want_set *set = allocate(sizeof *set + slots * sizeof *set->slots);
    set->mask = slots - 1;
    for (uint32_t i = 0; i < slots; i++) set->slots[i].sender = EMPTY;
    return set;
}

static uint32_t want_slot(const struct want_set *set, uint32_t sender, uint32_t piece) {
    return (uint32_t)mix64((uint64_t)piece << 32 | sender) & set->mask;
}

void want_set_add(struct want_set *set, struct want want) {
    uint32_t slot = want_slot(set, want.sender, want.piece);
    while (set->slots[slot].sender != EMPTY) slot = (slot + 1) & set->mask;
    set->slots[slot] = want;
}

/// The slot of an open want, or NULL.
static struct want *find_want(const struct want_set *set, uint32_t sender, uint32_t piece) {
    uint32_t slot = want_slot(set, sender, piece);
    for (; set->slots[slot].sender != EMPTY; slot = (slot + 1) & set->mask)
        if (set->slots[slot].sender == sender && set->slots[slot].piece == piece) return (struct want *)&set->slots[slot];
    return NULL;
}

bool want_set_take(struct want_set *set, uint32_t sender, uint32_t piece, uint32_t *operation) {
    struct want *want = find_want(set, sender, piece);
    if (!want) return false;
    *operation = want->operation;
    want->sender = TAKEN;
    return true;
}

bool want_set_has(const struct want_set *set, uint32_t sender, uint32_t piece) { return find_want(set, sender, piece); }

static size_t early_slot(const struct early_messages *early, const struct early_message *message) {
    uint64_t hash = mix64((uint64_t)message->collective << 32 | message->task);
    hash = mix64(hash ^ ((uint64_t)message->step << 32 | message->sender));
    return (size_t)(hash + message->piece * UINT64_C(0x9e3779b97f4a7c15)) & (early->capacity - 1);
}

static void early_grow(struct early_messages *early) {
    struct early_messages grown = {.capacity = early->capacity ? early->capacity * 2 : 64};
    grown.slots = allocate(grown.capacity * sizeof *grown.slots);
    for (size_t i = 0; i < grown.capacity; i++) grown.slots[i].collective = EMPTY;
    for (size_t i = 0; i < early->capacity; i++)
        if (early->slots[i].collective != EMPTY) early_put(&grown, &early->slots[i]);
    free(early->slots);
    *early = grown;
}

void early_put(struct early_messages *early, const struct early_message *message) {
    if (2 * (early->count + 1) > early->capacity) early_grow(early);
    size_t slot = early_slot(early, message);
    while (early->slots[slot].collective != EMPTY) slot = (slot + 1) & (early->capacity - 1);
    early->slots[slot] = *message;
    early->count++;
}

/// Empties a slot and moves back what probing had pushed beyond it.
static void early_remove(struct early_messages *early, size_t hole) {
    size_t mask = early->capacity - 1;
    for (size_t next = (hole + 1) & mask; early->slots[next].collective != EMPTY; next = (next + 1) & mask) {
        size_t home = early_slot(early, &early->slots[next]);
        if (((next - home) & mask) < ((next - hole) & mask)) continue;
        early->slots[hole] = early->slots[next];
        hole = next;
    }
    early->slots[hole].collective = EMPTY;
    early->count--;
}

static bool same_message(const struct early_message *a, const struct early_message *b) {
    return a->collective == b->collective && a->task == b->task && a->step == b->step && a->sender == b->sender && a->piece == b->piece;
}

bool early_take(struct early_messages *early, struct early_message *wanted) {
    if (early->count == 0) return false;
    size_t slot = early_slot(early, wanted);
    for (; early->slots[slot].collective != EMPTY; slot = (slot + 1) & (early->capacity - 1)) {
        if (!same_message(&early->slots[slot], wanted)) continue;
        wanted->message = early->slots[slot].message;
        early_remove(early, slot);
        return true;
    }
    return false;
}

void early_free(struct early_messages *early) {
    free(early->slots);
    *early = (struct early_messages){0};
}
