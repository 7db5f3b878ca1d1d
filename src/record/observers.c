#include "record/observers.h"

#include <stdlib.h>

#include "base/memory.h"

void observers_add(struct observers *observers, const struct recorder *recorder) {
    ARRAY_RESERVE(observers->items, observers->capacity, observers->count + 1);
    observers->items[observers->count++] = *recorder;
}

void observers_free(struct observers *observers) {
    free(observers->items);
    *observers = (struct observers){0};
}

static void tell_service(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct sim_observer *one = &all->items[i].links;
        if (one->service) one->service(one->context, link, message, joined, start, end, bytes);
    }
}

static void tell_opened(void *context, uint32_t collective, const struct collective_request *request) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->opened) one->opened(one->context, collective, request);
    }
}

static void tell_closed(void *context, uint32_t collective) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->closed) one->closed(one->context, collective);
    }
}

static void tell_replayed(void *context, uint32_t collective) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->replayed) one->replayed(one->context, collective);
    }
}

static void tell_skipped(void *context, uint64_t collectives) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->skipped) one->skipped(one->context, collectives);
    }
}

static void tell_delayed(void *context, uint32_t collective, uint32_t member, int64_t delay_ticks, int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->delayed) one->delayed(one->context, collective, member, delay_ticks, now);
    }
}

static void tell_step_started(void *context, uint32_t collective, uint32_t member, uint32_t machine, uint64_t k, const struct step *step,
                              int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->step_started) one->step_started(one->context, collective, member, machine, k, step, now);
    }
}

static void tell_finished(void *context, uint32_t collective, uint32_t member, uint32_t machine, int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->finished) one->finished(one->context, collective, member, machine, now);
    }
}

static void tell_sent(void *context, uint32_t collective, uint32_t member, const struct operation *operation, uint64_t message,
                      int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->sent) one->sent(one->context, collective, member, operation, message, now);
    }
}

static void tell_received(void *context, uint32_t collective, uint32_t member, const struct operation *operation, uint64_t message,
                          int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->received) one->received(one->context, collective, member, operation, message, now);
    }
}

static void tell_posted(void *context, const struct network_message *message, int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->posted) one->posted(one->context, message, now);
    }
}

static void tell_delivered(void *context, uint64_t message, uint32_t from, uint32_t to, int64_t bytes, int64_t now) {
    const struct observers *all = context;
    for (size_t i = 0; i < all->count; i++) {
        const struct rank_observer *one = &all->items[i].ranks;
        if (one->delivered) one->delivered(one->context, message, from, to, bytes, now);
    }
}

struct sim_observer observers_of_links(struct observers *observers) {
    struct sim_observer sole = {0};
    size_t takers = 0;
    for (size_t i = 0; i < observers->count; i++)
        if (observers->items[i].links.service) sole = observers->items[i].links, takers++;
    return takers < 2 ? sole : (struct sim_observer){observers, tell_service};
}

struct rank_observer observers_of_ranks(struct observers *observers) {
    if (observers->count == 1) return observers->items[0].ranks;
    struct rank_observer all = {.context = observers};
    for (size_t i = 0; i < observers->count; i++) {
        const struct rank_observer *one = &observers->items[i].ranks;
        if (one->opened) all.opened = tell_opened;
        if (one->closed) all.closed = tell_closed;
        if (one->replayed) all.replayed = tell_replayed;
        if (one->skipped) all.skipped = tell_skipped;
        if (one->delayed) all.delayed = tell_delayed;
        if (one->step_started) all.step_started = tell_step_started;
        if (one->finished) all.finished = tell_finished;
        if (one->sent) all.sent = tell_sent;
        if (one->received) all.received = tell_received;
        if (one->posted) all.posted = tell_posted;
        if (one->delivered) all.delivered = tell_delivered;
    }
    return all;
}
