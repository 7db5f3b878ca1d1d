#include "scenario/assertion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { LONGEST_ASSERTION = 400 };

static const struct name {
    const char *name; ///< behind the dot, or all of it
    enum assertion_subject subject;
    enum assertion_quantity quantity;
    enum value_unit unit;
} names[] = {
    {"makespan", SUBJECT_RUN, QUANTITY_MAKESPAN, UNIT_TIME},
    {"max_link_utilization", SUBJECT_RUN, QUANTITY_MAX_LINK_UTILIZATION, UNIT_SHARE},
    {"mean_link_utilization", SUBJECT_RUN, QUANTITY_MEAN_LINK_UTILIZATION, UNIT_SHARE},
    {"max_queue", SUBJECT_RUN, QUANTITY_MAX_QUEUE, UNIT_BYTES},
    {"algbw", SUBJECT_COLLECTIVE, QUANTITY_ALGBW, UNIT_RATE},
    {"busbw", SUBJECT_COLLECTIVE, QUANTITY_BUSBW, UNIT_RATE},
    {"efficiency", SUBJECT_COLLECTIVE, QUANTITY_EFFICIENCY, UNIT_SHARE},
    {"time", SUBJECT_COLLECTIVE, QUANTITY_TIME, UNIT_TIME},
    {"bytes", SUBJECT_LINK, QUANTITY_LINK_BYTES, UNIT_BYTES},
    {"chunks", SUBJECT_LINK, QUANTITY_LINK_CHUNKS, UNIT_NUMBER},
    {"utilization", SUBJECT_LINK, QUANTITY_LINK_UTILIZATION, UNIT_SHARE},
    {"busy", SUBJECT_LINK, QUANTITY_LINK_BUSY, UNIT_TIME},
    {"peak_queue", SUBJECT_LINK, QUANTITY_LINK_PEAK_QUEUE, UNIT_BYTES},
    {"p50", SUBJECT_SLOWDOWN, QUANTITY_P50, UNIT_NUMBER},
    {"p90", SUBJECT_SLOWDOWN, QUANTITY_P90, UNIT_NUMBER},
    {"p99", SUBJECT_SLOWDOWN, QUANTITY_P99, UNIT_NUMBER},
    {"max", SUBJECT_SLOWDOWN, QUANTITY_MAX, UNIT_NUMBER},
};
enum { NAMES = sizeof names / sizeof *names };

static const char *const comparisons[] = {
    [LESS_OR_EQUAL] = "<=", [GREATER_OR_EQUAL] = ">=", [EQUAL] = "==", [UNEQUAL] = "!=", [LESS] = "<", [GREATER] = ">"};

/// Takes the quantity off the front: up to white space or a comparison outside of brackets.
static size_t quantity_length(const char *text) {
    size_t length = 0;
    for (int depth = 0; text[length]; length++) {
        if (text[length] == '(') depth++;
        if (text[length] == ')') depth--;
        if (depth == 0 && strchr(" \t<>=!", text[length])) break;
    }
    return length;
}

/// The longest comparison that the text begins with; its length, 0 for none.
static size_t read_comparison(const char *text, enum assertion_comparison *out) {
    size_t longest = 0;
    for (int c = LESS; c <= UNEQUAL; c++) {
        size_t length = strlen(comparisons[c]);
        if (length <= longest || strncmp(text, comparisons[c], length) != 0) continue;
        longest = length;
        *out = (enum assertion_comparison)c;
    }
    return longest;
}

/// Finds a name among those of one subject, or of run and collective where `plain`.
static bool find_name(const char *written, enum assertion_subject subject, bool plain, struct assertion *out, struct error *err) {
    const char *known[NAMES + 1] = {NULL};
    char list[300], shown[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++) {
        bool fits = plain ? names[i].subject == SUBJECT_RUN || names[i].subject == SUBJECT_COLLECTIVE : names[i].subject == subject;
        if (!fits) continue;
        if (!strcmp(names[i].name, written)) {
            out->subject = names[i].subject, out->quantity = names[i].quantity, out->unit = names[i].unit;
            return true;
        }
        known[count++] = names[i].name;
    }
    return error_set(err, ERROR_INPUT, "unknown quantity %s; known: %s%s%s", text_quote(written, shown),
                     text_join(known, list, sizeof list), plain ? ", link(A->B).bytes, collective(0).busbw, slowdown.p99" : "",
                     text_meant(written, known, meant));
}

/// "0->1" between the brackets of link( ).
static bool read_ends(struct arena *arena, char *ends, struct assertion *out, struct error *err) {
    char *arrow = strstr(ends, "->"), shown[TEXT_QUOTE_SIZE];
    if (!arrow || arrow == ends || !arrow[2])
        return error_set(err, ERROR_INPUT, "%s names no link; write link(0->1)", text_quote(ends, shown));
    *arrow = '\0';
    out->from = arena_copy_text(arena, ends);
    out->to = arena_copy_text(arena, arrow + 2);
    return true;
}

static bool read_index(const char *digits, struct assertion *out, struct error *err) {
    size_t length = strspn(digits, "0123456789");
    char shown[TEXT_QUOTE_SIZE];
    if (length == 0 || digits[length] || length > 9)
        return error_set(err, ERROR_INPUT, "%s is no number of a collective; they are counted from 0", text_quote(digits, shown));
    out->index = strtoll(digits, NULL, 10);
    return true;
}

/// `text` is changed on the way.
static bool read_quantity(struct arena *arena, char *text, struct assertion *out, struct error *err) {
    static const char link[] = "link(", collective[] = "collective(", slowdown[] = "slowdown.";
    out->index = -1;
    if (!strncmp(text, slowdown, strlen(slowdown))) return find_name(text + strlen(slowdown), SUBJECT_SLOWDOWN, false, out, err);
    bool of_link = !strncmp(text, link, strlen(link));
    if (!of_link && strncmp(text, collective, strlen(collective)) != 0) return find_name(text, SUBJECT_RUN, true, out, err);
    char *inside = strchr(text, '(') + 1, *end = strstr(inside, ").");
    if (!end) return error_set(err, ERROR_INPUT, "\"%s\" needs a quantity behind it; write link(0->1).bytes or collective(0).busbw", text);
    *end = '\0';
    if (!find_name(end + 2, of_link ? SUBJECT_LINK : SUBJECT_COLLECTIVE, false, out, err)) return false;
    return of_link ? read_ends(arena, inside, out, err) : read_index(inside, out, err);
}

static bool read_number(const char *text, bool share, double *out, struct error *err) {
    char shown[TEXT_QUOTE_SIZE], *end;
    size_t length = strspn(text, "0123456789.");
    bool percent = share && text[length] == '%';
    *out = strtod(text, &end);
    if (percent) *out /= 100;
    if (length > 0 && end == text + length && !text[length + percent] && isfinite(*out)) return true;
    return error_set(err, ERROR_INPUT, "%s is no number; write %s, without a unit", text_quote(text, shown), share ? "0.5 or 50%" : "3");
}

static bool read_value(const char *text, int64_t ticks_per_s, struct assertion *out, struct error *err) {
    int64_t rate;
    switch (out->unit) {
    case UNIT_TIME: return parse_time(text, ticks_per_s, &out->value.whole, err);
    case UNIT_BYTES: return parse_bytes(text, &out->value.whole, err);
    case UNIT_RATE:
        if (!parse_rate(text, &rate, err)) return false;
        out->value.real = (double)rate;
        return true;
    default: return read_number(text, out->unit == UNIT_SHARE, &out->value.real, err);
    }
}

bool assertion_parse(struct arena *arena, const char *text, int64_t ticks_per_s, struct assertion *out, struct error *err) {
    char copy[LONGEST_ASSERTION + 1], shown[TEXT_QUOTE_SIZE];
    *out = (struct assertion){.text = arena_copy_text(arena, text)};
    if (strlen(text) > LONGEST_ASSERTION) return error_set(err, ERROR_INPUT, "an assertion has at most %d characters", LONGEST_ASSERTION);
    strcpy(copy, text + strspn(text, " \t"));
    size_t length = quantity_length(copy);
    char *rest = copy + length + strspn(copy + length, " \t");
    size_t taken = read_comparison(rest, &out->comparison);
    if (length == 0 || taken == 0)
        return error_set(err, ERROR_INPUT, "%s is no assertion; write a quantity, one of < <= > >= == != and a value: makespan < 10.5ms",
                         text_quote(text, shown));
    char *value = rest + taken + strspn(rest + taken, " \t");
    size_t end = strlen(value);
    while (end > 0 && strchr(" \t", value[end - 1])) value[--end] = '\0';
    copy[length] = '\0';
    return read_quantity(arena, copy, out, err) && read_value(value, ticks_per_s, out, err);
}

bool assertion_fits(const struct assertion *assertion, const struct graph *graph, struct error *err) {
    if (assertion->subject != SUBJECT_LINK) return true;
    const char *ends[2] = {assertion->from, assertion->to};
    uint32_t nodes[2];
    char shown[TEXT_QUOTE_SIZE];
    for (int i = 0; i < 2; i++) {
        nodes[i] = graph_find_node(graph, ends[i]);
        if (nodes[i] == NO_NODE) return error_set(err, ERROR_INPUT, "there is no node %s in this network", text_quote(ends[i], shown));
    }
    for (uint32_t l = 0; l < graph->link_count; l++)
        if (graph->links[l].from == nodes[0] && graph->links[l].to == nodes[1]) return true;
    return error_set(err, ERROR_INPUT, "no link leads from %s to %s", ends[0], ends[1]);
}
