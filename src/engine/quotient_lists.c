#include "engine/quotient_lists.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes_of(uint32_t count) { return sizeof(struct listed) + count * sizeof(struct message_target); }

/// What `like` and a target make together.
static struct message message_of(const struct message *like, const struct message_target *target) {
    struct message message = *like;
    message.destination = target->destination;
    message.number = message.next = 0;
    message.chunks_left = 1;
    memcpy(message.user, &target->label, sizeof target->label);
    return message;
}

uint32_t quotient_keep_list(struct engine *engine, const struct message *like, const struct message_target *targets) {
    const uint32_t count = like->destination;
    uint32_t number = 0;
    while (number < engine->list_count && engine->lists[number]) number++;
    if (count > MOST_LISTED || number == MOST_LISTS) return NOT_KEPT;
    ARRAY_RESERVE(engine->lists, engine->list_capacity, number + 1);
    if (number == engine->list_count) engine->list_count++;
    struct listed *list = engine->lists[number] = pages_allocate(bytes_of(count));
    list->like = *like;
    list->count = list->left = count;
    memcpy(list->targets, targets, count * sizeof *targets);
    engine->sim->waiting_bytes += bytes_of(count);
    return LISTED | number << LISTED_BITS;
}

uint32_t quotient_record(struct engine *engine, const struct message *like, const struct message_target *target) {
    uint32_t id = sim_new_message(engine->sim);
    engine->sim->messages[id] = message_of(like, target);
    return id;
}

struct message quotient_listed(const struct engine *engine, uint32_t message) {
    const struct listed *list = list_of(engine, message);
    return message_of(&list->like, &list->targets[message & (MOST_LISTED - 1)]);
}

static void free_list(struct engine *engine, uint32_t number) {
    engine->sim->waiting_bytes -= bytes_of(engine->lists[number]->count);
    pages_free(engine->lists[number]);
    engine->lists[number] = NULL;
}

void quotient_drop_listed(struct engine *engine, uint32_t message) {
    if (--list_of(engine, message)->left == 0) free_list(engine, (message & ~LISTED) >> LISTED_BITS);
}

void quotient_free_lists(struct engine *engine) {
    for (uint32_t i = 0; i < engine->list_count; i++)
        if (engine->lists[i]) free_list(engine, i);
    free(engine->lists);
}
