// Messages listed one by one, each posted at a time and after others have been delivered: what any schedule or trace
// can be written as.
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "workloads/workload.h"

struct message_config {
    uint64_t given;
    int64_t from, to;
    int64_t bytes;
    int64_t at_ticks;
    struct integers after;
};

struct messages_config {
    uint64_t given;
    struct records messages;
};

#define AT(member) offsetof(struct message_config, member)
static const struct field message_fields[] = {
    {"from", FIELD_INTEGER, AT(from), FIELD_REQUIRED, .max = INT32_MAX, .help = "the sending rank"},
    {"to", FIELD_INTEGER, AT(to), FIELD_REQUIRED, .max = INT32_MAX, .help = "the receiving rank"},
    {"size", FIELD_BYTES, AT(bytes), FIELD_REQUIRED, .help = "bytes", .example = "\"1MB\""},
    {"at", FIELD_TIME, AT(at_ticks), .help = "posted at this time of the workload", .example = "\"5us\""},
    {"after", FIELD_INTEGERS, AT(after), .max = UINT32_MAX, .help = "and not before these messages (counted from 0) have been delivered",
     .example = "[0, 3]"},
    {0},
};
#undef AT

static const struct field fields[] = {
    {"messages", FIELD_LIST, offsetof(struct messages_config, messages), FIELD_REQUIRED, .fields = message_fields,
     .item_size = sizeof(struct message_config), .help = "in the order in which those of one instant are posted"},
    {0},
};

struct messages_job {
    struct job job;
    struct communicator *comm;
    const struct message_config *messages;
    uint32_t count, order;
    int64_t ticks_per_s;
    uint32_t *blocked;     ///< per message: deliveries it still waits for, and one more until its sender has begun
    int64_t *earliest;     ///< per message, once its sender has begun
    uint32_t *first_after; ///< per message + 1: where those that wait for it start in `dependents`
    uint32_t *dependents;
    uint32_t *open;       ///< per rank: its sends not posted and receives not delivered, and one until it has begun
    uint32_t *first_sent; ///< per rank + 1: where its messages start in `sent`
    uint32_t *sent;
};

static bool check(const void *untyped, struct error *err) {
    const struct messages_config *config = untyped;
    const struct message_config *messages = config->messages.items;
    for (size_t i = 0; i < config->messages.count; i++)
        for (size_t j = 0; j < messages[i].after.count; j++)
            if (messages[i].after.values[j] >= (int64_t)config->messages.count) {
                char where[64];
                snprintf(where, sizeof where, "messages/%zu/after/%zu", i, j);
                return error_at(err, where, "there is no message %lld; they are counted from 0 to %zu",
                                (long long)messages[i].after.values[j], config->messages.count - 1);
            }
    return true;
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct messages_config *config = untyped;
    const struct message_config *messages = config->messages.items;
    for (size_t i = 0; i < config->messages.count; i++) {
        bool bad_from = messages[i].from >= place->ranks;
        if (!bad_from && messages[i].to < place->ranks) continue;
        char where[64];
        snprintf(where, sizeof where, "messages/%zu/%s", i, bad_from ? "from" : "to");
        return error_at(err, where, "there is no rank %lld; ranks are 0 to %u", (long long)(bad_from ? messages[i].from : messages[i].to),
                        place->ranks - 1);
    }
    *orders = 1;
    return true;
}

/// Lists by key: counts per key come in as first[key + 1], positions go out.
static void cumulate(uint32_t *first, size_t keys) {
    for (size_t i = 0; i < keys; i++) first[i + 1] += first[i];
}

static void index_dependents(struct messages_job *job) {
    job->first_after = allocate_zeroed((size_t)job->count + 1, sizeof *job->first_after);
    for (uint32_t i = 0; i < job->count; i++)
        for (size_t j = 0; j < job->messages[i].after.count; j++) job->first_after[job->messages[i].after.values[j] + 1]++;
    cumulate(job->first_after, job->count);
    job->dependents = allocate(job->first_after[job->count] * sizeof *job->dependents);
    uint32_t *next = allocate_zeroed(job->count, sizeof *next);
    for (uint32_t i = 0; i < job->count; i++)
        for (size_t j = 0; j < job->messages[i].after.count; j++) {
            int64_t before = job->messages[i].after.values[j];
            job->dependents[job->first_after[before] + next[before]++] = i;
        }
    free(next);
}

static void index_senders(struct messages_job *job, uint32_t ranks) {
    job->first_sent = allocate_zeroed((size_t)ranks + 1, sizeof *job->first_sent);
    for (uint32_t i = 0; i < job->count; i++) job->first_sent[job->messages[i].from + 1]++;
    cumulate(job->first_sent, ranks);
    job->sent = allocate(job->count * sizeof *job->sent);
    uint32_t *next = allocate_zeroed(ranks, sizeof *next);
    for (uint32_t i = 0; i < job->count; i++) {
        int64_t from = job->messages[i].from;
        job->sent[job->first_sent[from] + next[from]++] = i;
    }
    free(next);
}

static void delivered(void *context, uint32_t message, int64_t now);

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    (void)outcomes;
    const struct messages_config *config = untyped;
    struct messages_job *job = allocate_zeroed(1, sizeof *job);
    job->comm = place->comm;
    job->messages = config->messages.items, job->count = (uint32_t)config->messages.count;
    job->order = order, job->ticks_per_s = place->ticks_per_s;
    job->blocked = allocate(job->count * sizeof *job->blocked);
    job->earliest = allocate_zeroed(job->count, sizeof *job->earliest);
    job->open = allocate(place->ranks * sizeof *job->open);
    for (uint32_t r = 0; r < place->ranks; r++) job->open[r] = 1;
    for (uint32_t i = 0; i < job->count; i++) {
        job->blocked[i] = (uint32_t)job->messages[i].after.count + 1;
        job->open[job->messages[i].from]++;
        job->open[job->messages[i].to]++;
    }
    communicator_expect(job->comm, &(struct done_call){delivered, job});
    index_dependents(job);
    index_senders(job, place->ranks);
    return &job->job;
}

static const struct plan *make_plan(const void *untyped, const struct workload_place *place, struct arena *arena) {
    (void)place;
    const struct messages_config *config = untyped;
    const struct message_config *messages = config->messages.items;
    struct planned_message *planned = arena_allocate(arena, config->messages.count * sizeof *planned);
    for (size_t i = 0; i < config->messages.count; i++)
        planned[i] = (struct planned_message){(uint32_t)messages[i].from, (uint32_t)messages[i].to, messages[i].bytes,
                                              messages[i].at_ticks,       messages[i].after.values, messages[i].after.count};
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    *plan = (struct plan){.kind = PLAN_MESSAGES, .repeat = 1, .count = config->messages.count, .messages = planned};
    return plan;
}

static void one_less_open(struct messages_job *job, int64_t rank, int64_t now) {
    if (--job->open[rank] == 0) job->job.rank_done.call(job->job.rank_done.context, (uint32_t)rank, now);
}

static void unblock(struct messages_job *job, uint32_t message, int64_t now);

static void delivered(void *context, uint32_t message, int64_t now) {
    struct messages_job *job = context;
    for (uint32_t i = job->first_after[message]; i < job->first_after[message + 1]; i++) unblock(job, job->dependents[i], now);
    one_less_open(job, job->messages[message].to, now);
}

static void post(void *context, uint32_t message, int64_t now) {
    struct messages_job *job = context;
    const struct message_config *m = &job->messages[message];
    job->blocked[message] = 0;
    communicator_send(job->comm, (uint32_t)m->from, (uint32_t)m->to, m->bytes, job->order, message, (struct done_call){delivered, job},
                      message);
    one_less_open(job, m->from, now);
}

/// One thing less that the message waits for; when nothing is left it is posted, now or at its time.
static void unblock(struct messages_job *job, uint32_t message, int64_t now) {
    if (--job->blocked[message] > 0) return;
    const struct message_config *m = &job->messages[message];
    if (job->earliest[message] <= now)
        post(job, message, now);
    else
        communicator_timer(job->comm, (uint32_t)m->from, job->earliest[message], (struct done_call){post, job}, message);
}

static void start(struct job *untyped, uint32_t rank) {
    struct messages_job *job = (struct messages_job *)untyped;
    int64_t now = communicator_now(job->comm);
    for (uint32_t i = job->first_sent[rank]; i < job->first_sent[rank + 1]; i++) {
        uint32_t message = job->sent[i];
        if (__builtin_add_overflow(now, job->messages[message].at_ticks, &job->earliest[message])) job->earliest[message] = INT64_MAX;
        unblock(job, message, now);
    }
    one_less_open(job, rank, now);
}

/// A message that waits for a delivery at another rank couples the two at one instant.
static bool local(const void *untyped) {
    const struct messages_config *config = untyped;
    const struct message_config *messages = config->messages.items;
    for (size_t i = 0; i < config->messages.count; i++)
        for (size_t j = 0; j < messages[i].after.count; j++)
            if (messages[messages[i].after.values[j]].to != messages[i].from) return false;
    return true;
}

/// A message that waits for another is of the rank that receives that one.
static bool apart(const void *config) { return local(config); }

static void describe(const struct job *untyped, char *out, size_t out_size) {
    const struct messages_job *job = (const struct messages_job *)untyped;
    size_t used = 0;
    int named = 0;
    for (uint32_t i = 0; i < job->count && named < 8; i++) {
        if (!job->blocked[i]) continue;
        const struct message_config *m = &job->messages[i];
        long long first = m->after.count ? (long long)m->after.values[0] : -1;
        for (size_t j = 0; j < m->after.count; j++) // name one that has not been posted itself
            if (job->blocked[m->after.values[j]]) first = (long long)m->after.values[j];
        if (first < 0) continue;
        int wrote = snprintf(out + used, out_size - used,
                             "%srank %lld cannot send message %u to rank %lld: it waits for message %lld from rank %lld to rank %lld",
                             named ? "; " : "", (long long)m->from, i, (long long)m->to, first, (long long)job->messages[first].from,
                             (long long)job->messages[first].to);
        if (wrote < 0 || used + (size_t)wrote >= out_size) return;
        used += (size_t)wrote;
        named++;
    }
}

static void release(struct job *untyped) {
    struct messages_job *job = (struct messages_job *)untyped;
    free(job->blocked);
    free(job->earliest);
    free(job->first_after);
    free(job->dependents);
    free(job->open);
    free(job->first_sent);
    free(job->sent);
    free(job);
}

const struct workload_type messages_workload = {
    .variant = {.name = "messages",
                .summary = "messages with times and what each waits for",
                .fields = fields,
                .config_size = sizeof(struct messages_config),
                .check = check},
    .accepts = accepts,
    .plan = make_plan,
    .prepare = prepare,
    .start = start,
    .local = local,
    .apart = apart,
    .describe = describe,
    .release = release,
};
