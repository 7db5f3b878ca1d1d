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
    uint32_t *blocked;     ///< per message: deliveries it still waits for, and one more until its sender has begun; or AWAITS_TIME
    int64_t *begun;        ///< per rank: when, once it has
    uint32_t *first_after; ///< per message + 1: where those that wait for it start in `dependents`
    uint32_t *dependents;
    int64_t *latest;      ///< per rank: when all that it receives and nobody awaits has come, as far as that is known
    uint32_t *open;       ///< per rank: its sends not posted and receives not delivered, and one until it has begun
    uint32_t *first_sent; ///< per rank + 1: where its messages start in `sent`
    uint32_t *sent;       ///< of each rank in the order of their times, then of the list
    uint32_t *next_sent;  ///< per rank: in `sent`, where the first may be that awaits its time
};

#define AWAITS_TIME UINT32_MAX ///< messages_job.blocked: nothing else, since its sender has begun; one of its rank's stream

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

struct timed_message {
    int64_t at_ticks;
    uint32_t message;
};

static int by_time(const void *left, const void *right) {
    const struct timed_message *a = left, *b = right;
    if (a->at_ticks != b->at_ticks) return a->at_ticks < b->at_ticks ? -1 : 1;
    return a->message < b->message ? -1 : 1;
}

/// Sorts messages of one rank, which come in the order of the list.
static void sort_sent(const struct message_config *messages, uint32_t *sent, uint32_t count) {
    uint32_t in_order = 1;
    while (in_order < count && messages[sent[in_order]].at_ticks >= messages[sent[in_order - 1]].at_ticks) in_order++;
    if (in_order >= count) return;
    struct timed_message *timed = allocate(count * sizeof *timed);
    for (uint32_t i = 0; i < count; i++) timed[i] = (struct timed_message){messages[sent[i]].at_ticks, sent[i]};
    qsort(timed, count, sizeof *timed, by_time);
    for (uint32_t i = 0; i < count; i++) sent[i] = timed[i].message;
    free(timed);
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
    for (uint32_t r = 0; r < ranks; r++)
        sort_sent(job->messages, &job->sent[job->first_sent[r]], job->first_sent[r + 1] - job->first_sent[r]);
}

static void delivered(void *context, uint32_t message, int64_t now);
static void counted(void *context, uint32_t message, int64_t time);

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    (void)outcomes;
    const struct messages_config *config = untyped;
    struct messages_job *job = allocate_zeroed(1, sizeof *job);
    job->comm = place->comm;
    job->messages = config->messages.items, job->count = (uint32_t)config->messages.count;
    job->order = order, job->ticks_per_s = place->ticks_per_s;
    job->blocked = allocate(job->count * sizeof *job->blocked);
    job->begun = allocate_zeroed(place->ranks, sizeof *job->begun);
    job->next_sent = allocate(place->ranks * sizeof *job->next_sent);
    job->latest = allocate_zeroed(place->ranks, sizeof *job->latest);
    job->open = allocate(place->ranks * sizeof *job->open);
    for (uint32_t r = 0; r < place->ranks; r++) job->open[r] = 1;
    for (uint32_t i = 0; i < job->count; i++) {
        job->blocked[i] = (uint32_t)job->messages[i].after.count + 1;
        job->open[job->messages[i].from]++;
        job->open[job->messages[i].to]++;
    }
    communicator_expect(job->comm, &(struct done_call){delivered, job});
    communicator_expect(job->comm, &(struct done_call){counted, job});
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

static void rank_ends(void *context, uint32_t rank, int64_t now) {
    struct messages_job *job = context;
    job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static void end_later(struct messages_job *job, uint32_t rank) {
    communicator_timer(job->comm, rank, job->latest[rank], (struct done_call){rank_ends, job}, rank);
}

static void one_less_open(struct messages_job *job, int64_t rank, int64_t now) {
    if (--job->open[rank] > 0) return;
    if (job->latest[rank] > now)
        end_later(job, (uint32_t)rank);
    else
        rank_ends(job, (uint32_t)rank, now);
}

static void unblock(struct messages_job *job, uint32_t message, int64_t now);

static void delivered(void *context, uint32_t message, int64_t now) {
    struct messages_job *job = context;
    for (uint32_t i = job->first_after[message]; i < job->first_after[message + 1]; i++) unblock(job, job->dependents[i], now);
    one_less_open(job, job->messages[message].to, now);
}

/// A message that no other waits for comes at `time`, which is yet to come perhaps.
static void counted(void *context, uint32_t message, int64_t time) {
    struct messages_job *job = context;
    const uint32_t to = (uint32_t)job->messages[message].to;
    if (time > job->latest[to]) job->latest[to] = time;
    if (--job->open[to] == 0) end_later(job, to);
}

static void post(void *context, uint32_t message, int64_t now) {
    struct messages_job *job = context;
    const struct message_config *m = &job->messages[message];
    job->blocked[message] = 0;
    const uint32_t from = (uint32_t)m->from, to = (uint32_t)m->to;
    if (job->first_after[message] == job->first_after[message + 1])
        communicator_send_unawaited(job->comm, from, to, m->bytes, job->order, message, (struct done_call){counted, job}, message);
    else
        communicator_send(job->comm, from, to, m->bytes, job->order, message, (struct done_call){delivered, job}, message);
    one_less_open(job, m->from, now);
}

/// When a message may be posted, once its sender has begun.
static int64_t earliest(const struct messages_job *job, const struct message_config *message) {
    int64_t time;
    return __builtin_add_overflow(job->begun[message->from], message->at_ticks, &time) ? INT64_MAX : time;
}

/// One thing less that the message waits for; when nothing is left it is posted, now or at its time.
static void unblock(struct messages_job *job, uint32_t message, int64_t now) {
    if (--job->blocked[message] > 0) return;
    const struct message_config *m = &job->messages[message];
    int64_t time = earliest(job, m);
    if (time <= now)
        post(job, message, now);
    else
        communicator_timer(job->comm, (uint32_t)m->from, time, (struct done_call){post, job}, message);
}

/// When the next message of the rank's stream is due; NOT_AGAIN: there is none.
static int64_t next_time(struct messages_job *job, uint32_t rank) {
    uint32_t *next = &job->next_sent[rank];
    while (*next < job->first_sent[rank + 1] && job->blocked[job->sent[*next]] != AWAITS_TIME) ++*next;
    return *next < job->first_sent[rank + 1] ? earliest(job, &job->messages[job->sent[*next]]) : NOT_AGAIN;
}

/// The next message of the rank's stream is due.
static int64_t post_next(void *context, uint32_t rank, int64_t now) {
    struct messages_job *job = context;
    post(job, job->sent[job->next_sent[rank]], now);
    return next_time(job, rank);
}

static void start(struct job *untyped, uint32_t rank) {
    struct messages_job *job = (struct messages_job *)untyped;
    int64_t now = communicator_now(job->comm);
    job->begun[rank] = now;
    job->next_sent[rank] = job->first_sent[rank];
    for (uint32_t i = job->first_sent[rank]; i < job->first_sent[rank + 1]; i++) {
        uint32_t message = job->sent[i];
        if (job->blocked[message] == 1 && job->messages[message].at_ticks > 0)
            job->blocked[message] = AWAITS_TIME;
        else
            unblock(job, message, now);
    }
    int64_t first = next_time(job, rank);
    if (first != NOT_AGAIN) communicator_stream(job->comm, rank, first, (struct stream_call){post_next, job}, rank);
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
        if (!job->blocked[i] || job->blocked[i] == AWAITS_TIME) continue;
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
    free(job->begun);
    free(job->next_sent);
    free(job->first_after);
    free(job->dependents);
    free(job->latest);
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
