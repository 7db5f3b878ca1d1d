#include "report/messages_scenario.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

bool messages_scenario_possible(const struct message_log *log, const char *file, struct error *err) {
    const struct logged_message *messages;
    size_t count = message_log_all(log, &messages);
    for (size_t i = 0; i < count; i++)
        if (messages[i].from == messages[i].to)
            return error_set(err, ERROR_OUTPUT, "%s was not written: the network reduces messages of this run, which none can list", file);
    return true;
}

/// A delivery: of message `message`, by receiver and time.
struct arrival {
    int64_t ticks;
    uint32_t rank;
    uint32_t message;
};

static int by_rank_and_time(const void *left, const void *right) {
    const struct arrival *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
    return a->message < b->message ? -1 : a->message > b->message;
}

struct arrivals {
    struct arrival *items;
    size_t count;
};

static struct arrivals find_arrivals(const struct logged_message *messages, size_t count) {
    struct arrivals arrivals = {.items = allocate((count ? count : 1) * sizeof *arrivals.items)};
    for (size_t i = 0; i < count; i++)
        if (messages[i].delivered_ticks >= 0)
            arrivals.items[arrivals.count++] = (struct arrival){messages[i].delivered_ticks, messages[i].to, (uint32_t)i};
    qsort(arrivals.items, arrivals.count, sizeof *arrivals.items, by_rank_and_time);
    return arrivals;
}

/// The first arrival at a rank at a time or after it.
static size_t first_arrival(const struct arrivals *arrivals, uint32_t rank, int64_t ticks) {
    const struct arrival wanted = {ticks, rank, 0};
    size_t low = 0, high = arrivals->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_rank_and_time(&arrivals->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// `, "after": [3, 4]`; false where the sender received nothing at that instant.
static bool write_after(const struct arrivals *arrivals, const struct logged_message *message, FILE *out) {
    bool any = false;
    for (size_t i = first_arrival(arrivals, message->from, message->posted_ticks); i < arrivals->count; i++) {
        const struct arrival *arrival = &arrivals->items[i];
        if (arrival->rank != message->from || arrival->ticks != message->posted_ticks) break;
        fprintf(out, "%s%" PRIu32, any ? ", " : ", \"after\": [", arrival->message);
        any = true;
    }
    if (any) fputc(']', out);
    return any;
}

static void write_message(const struct logged_message *message, const struct arrivals *arrivals, int64_t ticks_per_s, FILE *out) {
    char at[QUANTITY_SIZE];
    fprintf(out, "    {\"from\": %" PRIu32 ", \"to\": %" PRIu32 ", \"size\": \"%" PRId64 "B\"", message->from, message->to, message->bytes);
    if ((!arrivals || !write_after(arrivals, message, out)) && message->posted_ticks > 0)
        fprintf(out, ", \"at\": \"%s\"", format_time_exact(message->posted_ticks, ticks_per_s, at));
    fputc('}', out);
}

/// All but the workload, and what belongs to that run alone: processors' costs are in the times already.
static void write_head(const struct scenario *scenario, FILE *out) {
    static const char *const left_out[] = {"$schema", "name", "costs", "workload", "output", "assert", NULL};
    json_t *resolved = scenario_resolved(scenario), *value;
    const char *key;
    for (int i = 0; left_out[i]; i++) json_object_del(resolved, left_out[i]);
    json_t *name = json_sprintf("messages of: %s", scenario->name ? scenario->name : scenario->workload.type->name);
    fputs("{\n  \"name\": ", out);
    json_dumpf(name, out, JSON_ENCODE_ANY);
    json_object_foreach(resolved, key, value) {
        fprintf(out, ",\n  \"%s\": ", key);
        json_dumpf(value, out, JSON_ENCODE_ANY);
    }
    json_decref(name);
    json_decref(resolved);
}

void report_messages_scenario(const struct message_log *log, const struct scenario *scenario, bool after, FILE *out) {
    const struct logged_message *messages;
    size_t count = message_log_all(log, &messages);
    struct arrivals arrivals = find_arrivals(messages, after ? count : 0);
    write_head(scenario, out);
    fputs(",\n  \"workload\": {\"type\": \"messages\", \"messages\": [\n", out);
    for (size_t i = 0; i < count; i++) {
        write_message(&messages[i], after ? &arrivals : NULL, scenario->ticks_per_s, out);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("  ]}\n}\n", out);
    free(arrivals.items);
}
