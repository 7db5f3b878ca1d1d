#include "cli/vary_range.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { RANGE_VALUES_MOST = 10000, PART_SIZE = 64 };

enum measure { MEASURE_NUMBER, MEASURE_BYTES, MEASURE_RATE, MEASURE_TIME, MEASURES };

bool is_range(const char *text) {
    const char *dots = strstr(text, "..");
    return dots && dots > text && dots[2] && strspn(text, "0123456789") > 0;
}

static bool read_measure(enum measure measure, const char *text, int64_t *out) {
    struct error ignored = {0};
    char *end;
    switch (measure) {
    case MEASURE_BYTES: return parse_bytes(text, out, &ignored);
    case MEASURE_RATE: return parse_rate(text, out, &ignored);
    case MEASURE_TIME: return parse_time(text, TICKS_PER_S_FS, out, &ignored);
    default:
        errno = 0;
        *out = strtoll(text, &end, 10);
        return !errno && end != text && !*end;
    }
}

static void add_value(enum measure measure, int64_t value, struct texts *out) {
    char text[QUANTITY_SIZE];
    switch (measure) {
    case MEASURE_BYTES: format_bytes_exact(value, text); break;
    case MEASURE_RATE: format_rate_exact(value, text); break;
    case MEASURE_TIME: format_time_exact(value, TICKS_PER_S_FS, text); break;
    default: snprintf(text, sizeof text, "%lld", (long long)value); break;
    }
    texts_add(out, "%s", text);
}

struct range {
    enum measure measure;
    int64_t first, last, factor, step; ///< factor 0: add `step`
};

static bool range_mistake(const char *text, const char *why, struct error *err) {
    return error_set(err, ERROR_INPUT, "--vary: \"%s\": %s (ranges are written 1KB..1GB:x4, 1..8 or 0us..10us:+2us)", text, why);
}

static bool range_parse(const char *text, struct range *out, struct error *err) {
    char first[PART_SIZE], last[PART_SIZE];
    const char *dots = strstr(text, ".."), *colon = strchr(dots, ':');
    int last_length = colon ? (int)(colon - dots - 2) : (int)strlen(dots + 2);
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    snprintf(last, sizeof last, "%.*s", last_length, dots + 2);
    *out = (struct range){.step = 1};
    while (!read_measure(out->measure, first, &out->first) || !read_measure(out->measure, last, &out->last))
        if (++out->measure == MEASURES) return range_mistake(text, "its ends are no numbers of one unit", err);
    if (!colon && out->measure != MEASURE_NUMBER) return range_mistake(text, "a range of quantities needs a step", err);
    if (colon && colon[1] == 'x' && read_measure(MEASURE_NUMBER, colon + 2, &out->factor)) {
        if (out->factor < 2 || out->first < 1) return range_mistake(text, "the factor must be 2 or more, the first value above 0", err);
    } else if (colon && (colon[1] != '+' || !read_measure(out->measure, colon + 2, &out->step) || out->step < 1)) {
        return range_mistake(text, "the step is no xN or +STEP", err);
    }
    if (out->last < out->first) return range_mistake(text, "its end lies before its start", err);
    return true;
}

bool range_expand(const char *text, struct texts *out, struct error *err) {
    struct range range;
    if (!range_parse(text, &range, err)) return false;
    int64_t value = range.first;
    for (size_t i = 0;; i++) {
        if (i == RANGE_VALUES_MOST) return range_mistake(text, "more than 10000 values", err);
        add_value(range.measure, value, out);
        if (range.factor ? value > range.last / range.factor : range.last - value < range.step) return true;
        value = range.factor ? value * range.factor : value + range.step;
    }
}
