#include "record/message_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct message_log {
    struct logged_message *messages; ///< by message; after message_log_finish sorted, without gaps
    size_t count, capacity;
};

struct message_log *message_log_create(void) {
    return allocate_zeroed(1, sizeof(struct message_log));
}

void message_log_free(struct message_log *log) {
    if (!log) return;
    free(log->messages);
    free(log);
}

static void posted(void *context, const struct network_message *message, int64_t now) {
    struct message_log *log = context;
    size_t needed = (size_t)message->message + 1;
    ARRAY_RESERVE(log->messages, log->capacity, needed);
    // messages of a rank to itself take a place in the order of posting, but are never posted to the network
    if (needed > log->count) memset(log->messages + log->count, 0, (needed - log->count) * sizeof *log->messages);
    if (needed > log->count) log->count = needed;
    log->messages[message->message] = (struct logged_message){
        .bytes = message->bytes,
        .posted_ticks = now,
        .delivered_ticks = -1,
        .from = message->from,
        .to = message->to,
        .order = message->order,
        .minor = message->minor,
        .posted = 1,
    };
}

static void delivered(void *context, uint64_t message, uint32_t from, uint32_t to, int64_t bytes, int64_t now) {
    (void)from, (void)to, (void)bytes;
    struct message_log *log = context;
    log->messages[message].delivered_ticks = now;
}

struct recorder message_log_recorder(struct message_log *log) {
    return (struct recorder){.ranks = {.context = log, .posted = posted, .delivered = delivered}};
}

/// Until the numbers are set, `number` holds the order of posting.
static int by_posting(const void *left, const void *right) {
    const struct logged_message *a = left, *b = right;
    if (a->posted_ticks != b->posted_ticks) return a->posted_ticks < b->posted_ticks ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    if (a->minor != b->minor) return a->minor < b->minor ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void message_log_finish(struct message_log *log) {
    size_t kept = 0;
    uint32_t ranks = 0;
    for (size_t i = 0; i < log->count; i++) {
        if (!log->messages[i].posted) continue;
        log->messages[kept] = log->messages[i];
        log->messages[kept].number = (uint32_t)kept;
        if (log->messages[kept].from >= ranks) ranks = log->messages[kept].from + 1;
        kept++;
    }
    log->count = kept;
    if (kept == 0) return;
    qsort(log->messages, kept, sizeof *log->messages, by_posting);
    uint32_t *next_number = allocate_zeroed(ranks, sizeof *next_number);
    for (size_t i = 0; i < kept; i++) log->messages[i].number = next_number[log->messages[i].from]++;
    free(next_number);
}

size_t message_log_all(const struct message_log *log, const struct logged_message **messages) {
    *messages = log->messages;
    return log->count;
}
