#include "report/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/json_writer.h"

enum { RANKS_PROCESS = 1, LINKS_PROCESS = 2, NOTE_SIZE = 400, NAME_SIZE = 160 };

/// At one instant events stand in this order: what encloses others comes first.
enum event_kind { COLLECTIVE_SLICE, PHASE_SLICE, STEP_SLICE, SEND_SLICE, RECEIVE_SLICE, ARROW_START, ARROW_END, INSTANT, COUNTER };

struct event {
    int64_t ticks;
    enum event_kind kind;
    uint32_t thread; ///< a lane, or the place of a link in the list
    uint64_t item;   ///< index of the span, instant or message; of a counter its value, the bin's busy ticks
};

struct perfetto {
    const struct perfetto_source *source;
    struct phase_list phases;
    const struct logged_message *messages;
    size_t message_count, arrow_every;
    struct event *events;
    size_t count, capacity;
    struct json_writer json;
};

char *format_microseconds(int64_t ticks, int64_t ticks_per_s, char *out) {
    int64_t per_us = ticks_per_s / 1000000;
    int digits = 0;
    for (int64_t unit = 1; unit < per_us; unit *= 10) digits++;
    int length = snprintf(out, MICROSECONDS_SIZE, "%" PRId64 ".%0*" PRId64, ticks / per_us, digits, ticks % per_us);
    while (out[length - 1] == '0') out[--length] = '\0';
    if (out[length - 1] == '.') out[--length] = '\0';
    return out;
}

// ---- collecting

static void add_event(struct perfetto *perfetto, int64_t ticks, enum event_kind kind, uint32_t thread, uint64_t item) {
    ARRAY_RESERVE(perfetto->events, perfetto->capacity, perfetto->count + 1);
    perfetto->events[perfetto->count++] = (struct event){ticks, kind, thread, item};
}

static void collect_phases(struct perfetto *perfetto) {
    static const enum event_kind kinds[] = {[IN_COLLECTIVE] = COLLECTIVE_SLICE, [IN_PHASE] = PHASE_SLICE, [IN_STEP] = STEP_SLICE};
    const struct phase_list *list = &perfetto->phases;
    for (size_t i = 0; i < list->span_count; i++)
        add_event(perfetto, list->spans[i].start_ticks, kinds[list->spans[i].kind], list->spans[i].lane, i);
    for (size_t i = 0; i < list->instant_count; i++) add_event(perfetto, list->instants[i].ticks, INSTANT, list->instants[i].lane, i);
}

static bool is_kept(const struct perfetto *perfetto, uint32_t rank) { return rank % perfetto->phases.every == 0; }

/// Arrows lead from a slice to a slice, so each end gets one of no length.
static void collect_messages(struct perfetto *perfetto) {
    size_t arrows = 0;
    for (size_t i = 0; i < perfetto->message_count; i++) {
        const struct logged_message *m = &perfetto->messages[i];
        if (!is_kept(perfetto, m->from) || !is_kept(perfetto, m->to) || m->delivered_ticks < 0) continue;
        if (arrows++ % perfetto->arrow_every) continue;
        add_event(perfetto, m->posted_ticks, SEND_SLICE, m->from, i);
        add_event(perfetto, m->posted_ticks, ARROW_START, m->from, i);
        add_event(perfetto, m->delivered_ticks, RECEIVE_SLICE, m->to, i);
        add_event(perfetto, m->delivered_ticks, ARROW_END, m->to, i);
    }
}

/// A counter stands still until its next event: idle bins after a busy one set it to 0, equal bins add nothing.
static void collect_counter(struct perfetto *perfetto, uint32_t place) {
    const struct link_trace *trace = perfetto->source->trace;
    const struct link_bin *bins;
    size_t count = link_trace_of(trace, perfetto->source->links->items[place].link, &bins);
    int64_t width = link_trace_bin_ticks(trace), next = 0, before = 0;
    add_event(perfetto, 0, COUNTER, place, count > 0 && bins[0].index == 0 ? (uint64_t)bins[0].busy_ticks : 0);
    for (size_t i = 0; i < count; i++) {
        if (bins[i].index > next && before != 0) add_event(perfetto, next * width, COUNTER, place, 0), before = 0;
        if (bins[i].index > 0 && bins[i].busy_ticks != before)
            add_event(perfetto, bins[i].index * width, COUNTER, place, (uint64_t)bins[i].busy_ticks);
        before = bins[i].busy_ticks;
        next = bins[i].index + 1;
    }
    if (before != 0 && next <= INT64_MAX / width) add_event(perfetto, next * width, COUNTER, place, 0);
}

static int by_time(const void *left, const void *right) {
    const struct event *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks < b->ticks ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

// ---- writing

static void open_event(struct perfetto *perfetto, const char *phase, const char *name, int process, uint32_t thread) {
    struct json_writer *json = &perfetto->json;
    put_open(json, NULL, '{');
    put_text(json, "ph", phase);
    put_text(json, "name", name);
    put_int(json, "pid", process);
    put_uint(json, "tid", thread);
}

static void put_microseconds(struct perfetto *perfetto, const char *key, int64_t ticks) {
    char text[MICROSECONDS_SIZE];
    put_verbatim(&perfetto->json, key, format_microseconds(ticks, perfetto->source->result->ticks_per_s, text));
}

static void close_event(struct perfetto *perfetto) { put_close(&perfetto->json, '}'); }

static void put_metadata(struct perfetto *perfetto, const char *name, int process, uint32_t thread, const char *key, const char *text) {
    open_event(perfetto, "M", name, process, thread);
    put_int(&perfetto->json, "ts", 0);
    put_open(&perfetto->json, "args", '{');
    put_text(&perfetto->json, key, text);
    put_close(&perfetto->json, '}');
    close_event(perfetto);
}

static void put_sort_index(struct perfetto *perfetto, const char *name, int process, uint32_t thread, int64_t index) {
    open_event(perfetto, "M", name, process, thread);
    put_int(&perfetto->json, "ts", 0);
    put_open(&perfetto->json, "args", '{');
    put_int(&perfetto->json, "sort_index", index);
    put_close(&perfetto->json, '}');
    close_event(perfetto);
}

static void write_thread_names(struct perfetto *perfetto) {
    for (uint32_t lane = 0; lane < perfetto->phases.lane_count; lane++) {
        const struct phase_lane *info = &perfetto->phases.lanes[lane];
        char name[NAME_SIZE];
        if (!is_kept(perfetto, info->rank)) continue;
        if (info->number == 0)
            snprintf(name, sizeof name, "rank %" PRIu32, info->rank);
        else
            snprintf(name, sizeof name, "rank %" PRIu32 " (%" PRIu32 ")", info->rank, info->number + 1);
        put_metadata(perfetto, "thread_name", RANKS_PROCESS, lane + 1, "name", name);
        put_sort_index(perfetto, "thread_sort_index", RANKS_PROCESS, lane + 1, info->rank);
    }
}

/// What was left out; empty where nothing was.
static void describe_thinning(const struct perfetto *perfetto, char *note) {
    char from[QUANTITY_SIZE];
    size_t used = 0;
    note[0] = '\0';
    if (perfetto->phases.every > 1)
        used = (size_t)snprintf(note, NOTE_SIZE, "thinned: only the ranks that are multiples of %" PRIu32 " are shown",
                                perfetto->phases.every);
    if (perfetto->phases.lost_from >= 0)
        used += (size_t)snprintf(note + used, NOTE_SIZE - used, "%stheir slices only until %s", used ? "; " : "thinned: ranks have ",
                                 format_time(perfetto->phases.lost_from, perfetto->source->result->ticks_per_s, from));
    if (perfetto->arrow_every > 1)
        snprintf(note + used, NOTE_SIZE - used, "%sone message of %zu has an arrow", used ? "; " : "thinned: ", perfetto->arrow_every);
}

static void write_metadata(struct perfetto *perfetto, const char *note) {
    put_metadata(perfetto, "process_name", RANKS_PROCESS, 0, "name", "ranks");
    put_sort_index(perfetto, "process_sort_index", RANKS_PROCESS, 0, 1);
    put_metadata(perfetto, "process_name", LINKS_PROCESS, 0, "name", "links, the hottest first: busy in percent");
    put_sort_index(perfetto, "process_sort_index", LINKS_PROCESS, 0, 0);
    if (*note) {
        put_metadata(perfetto, "process_labels", RANKS_PROCESS, 0, "labels", note);
        put_metadata(perfetto, "note", RANKS_PROCESS, 0, "text", note);
    }
    write_thread_names(perfetto);
}

static void write_slice(struct perfetto *perfetto, const struct event *event) {
    const struct phase_span *span = &perfetto->phases.spans[event->item];
    char name[NAME_SIZE];
    switch (span->kind) {
    case IN_COLLECTIVE: snprintf(name, sizeof name, "%s/%s", collective_names[span->algorithm->kind], span->algorithm->name); break;
    case IN_PHASE: snprintf(name, sizeof name, "%s", span->phase); break;
    case IN_STEP: snprintf(name, sizeof name, "step %" PRIu64 "/%" PRIu64, span->step + 1, span->steps); break;
    }
    open_event(perfetto, "X", name, RANKS_PROCESS, event->thread + 1);
    put_microseconds(perfetto, "ts", span->start_ticks);
    put_microseconds(perfetto, "dur", span->end_ticks - span->start_ticks);
    close_event(perfetto);
}

static void write_message_end(struct perfetto *perfetto, const struct event *event) {
    const struct logged_message *m = &perfetto->messages[event->item];
    bool sends = event->kind == SEND_SLICE;
    char name[NAME_SIZE], bytes[QUANTITY_SIZE];
    format_bytes((double)m->bytes, bytes);
    snprintf(name, sizeof name, "%s %s %s rank %" PRIu32, sends ? "send" : "receive", bytes, sends ? "to" : "from",
             sends ? m->to : m->from);
    open_event(perfetto, "X", name, RANKS_PROCESS, event->thread + 1);
    put_microseconds(perfetto, "ts", event->ticks);
    put_int(&perfetto->json, "dur", 0);
    put_open(&perfetto->json, "args", '{');
    put_int(&perfetto->json, "bytes", m->bytes);
    put_uint(&perfetto->json, "number", m->number);
    put_close(&perfetto->json, '}');
    close_event(perfetto);
}

static void write_arrow(struct perfetto *perfetto, const struct event *event) {
    open_event(perfetto, event->kind == ARROW_START ? "s" : "f", "message", RANKS_PROCESS, event->thread + 1);
    put_text(&perfetto->json, "cat", "message");
    put_uint(&perfetto->json, "id", event->item);
    if (event->kind == ARROW_END) put_text(&perfetto->json, "bp", "e");
    put_microseconds(perfetto, "ts", event->ticks);
    close_event(perfetto);
}

static void write_instant(struct perfetto *perfetto, const struct event *event) {
    const struct phase_instant *instant = &perfetto->phases.instants[event->item];
    char name[NAME_SIZE], delay[QUANTITY_SIZE];
    if (instant->stalled)
        snprintf(name, sizeof name, "stalled");
    else
        snprintf(name, sizeof name, "starts %s late", format_time(instant->delay_ticks, perfetto->source->result->ticks_per_s, delay));
    open_event(perfetto, "i", name, RANKS_PROCESS, event->thread + 1);
    put_text(&perfetto->json, "s", "t");
    put_microseconds(perfetto, "ts", event->ticks);
    close_event(perfetto);
}

static void write_counter(struct perfetto *perfetto, const struct event *event) {
    const struct named_links *links = perfetto->source->links;
    char name[NAME_SIZE];
    int digits = snprintf(NULL, 0, "%" PRIu32, links->count);
    snprintf(name, sizeof name, "%0*" PRIu32 ". %s", digits, event->thread + 1, links->items[event->thread].label);
    open_event(perfetto, "C", name, LINKS_PROCESS, 0);
    put_microseconds(perfetto, "ts", event->ticks);
    put_open(&perfetto->json, "args", '{');
    put_double(&perfetto->json, "busy", 100 * (double)event->item / (double)link_trace_bin_ticks(perfetto->source->trace));
    put_close(&perfetto->json, '}');
    close_event(perfetto);
}

static void write_event(struct perfetto *perfetto, const struct event *event) {
    switch (event->kind) {
    case COLLECTIVE_SLICE:
    case PHASE_SLICE:
    case STEP_SLICE: write_slice(perfetto, event); break;
    case SEND_SLICE:
    case RECEIVE_SLICE: write_message_end(perfetto, event); break;
    case ARROW_START:
    case ARROW_END: write_arrow(perfetto, event); break;
    case INSTANT: write_instant(perfetto, event); break;
    case COUNTER: write_counter(perfetto, event); break;
    }
}

static void write_document(struct perfetto *perfetto, FILE *out) {
    const struct perfetto_source *source = perfetto->source;
    char note[NOTE_SIZE];
    describe_thinning(perfetto, note);
    struct json_writer *json = &perfetto->json;
    *json = (struct json_writer){.out = out, .folded_depth = 2};
    put_open(json, NULL, '{');
    put_text(json, "displayTimeUnit", "ns");
    put_open(json, "otherData", '{');
    put_text(json, "name", source->name);
    put_text(json, "status", run_status_names[source->result->status]);
    if (source->result->error.text[0]) put_text(json, "error", source->result->error.text);
    put_text(json, "note", note);
    put_close(json, '}');
    put_open(json, "traceEvents", '[');
    write_metadata(perfetto, note);
    for (size_t i = 0; i < perfetto->count && !ferror(out); i++) write_event(perfetto, &perfetto->events[i]);
    put_close(json, ']');
    put_close(json, '}');
}

void report_perfetto(const struct perfetto_source *source, FILE *out) {
    struct perfetto perfetto = {.source = source, .phases = phases_all(source->phases), .arrow_every = 1};
    if (source->messages) perfetto.message_count = message_log_all(source->messages, &perfetto.messages);
    size_t most = source->most_arrows > 0 ? (size_t)source->most_arrows : 1;
    if (perfetto.message_count > most) perfetto.arrow_every = (perfetto.message_count + most - 1) / most;
    collect_phases(&perfetto);
    collect_messages(&perfetto);
    for (uint32_t place = 0; place < source->links->count; place++) collect_counter(&perfetto, place);
    if (perfetto.count > 0) qsort(perfetto.events, perfetto.count, sizeof *perfetto.events, by_time);
    write_document(&perfetto, out);
    free(perfetto.events);
}
