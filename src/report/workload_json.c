#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/workload.h"

/// A name in words as a key: "time per step" becomes "time_per_step". The caller frees it.
static char *key_of(const char *words) {
    char *key = strcpy(allocate(strlen(words) + 1), words);
    for (char *c = key; *c; c++)
        if (*c == ' ' || *c == '-') *c = '_';
    return key;
}

static double quotient(const struct figure *figure) {
    return figure->other == 0 ? (double)NAN : (double)figure->value / (double)figure->other;
}

static void write_figure(struct json_writer *json, const char *key, const struct figure *figure, int64_t ticks_per_s) {
    switch (figure->kind) {
    case FIGURE_TIME: put_time(json, key, figure->value, ticks_per_s); break;
    case FIGURE_SPAN:
        put_open(json, key, '{');
        put_time(json, "start", figure->value, ticks_per_s);
        put_time(json, "end", figure->other, ticks_per_s);
        put_close(json, '}');
        break;
    case FIGURE_BYTES:
    case FIGURE_COUNT: put_int(json, key, figure->value); break;
    case FIGURE_FREQUENCY:
    case FIGURE_RATE: put_double(json, key, quotient(figure) * (double)ticks_per_s); break;
    case FIGURE_SHARE:
    case FIGURE_RATIO: put_double(json, key, quotient(figure)); break;
    case FIGURE_TEXT: put_text(json, key, figure->text); break;
    }
}

void write_figures(struct json_writer *json, const char *key, const struct run_result *result) {
    const struct figures *figures = &result->figures;
    put_open(json, key, '{');
    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->items[i];
        bool first = i == 0 || strcmp(figure[-1].group, figure->group),
             last = i + 1 == figures->count || strcmp(figure[1].group, figure->group);
        char *group = key_of(figure->group), *name = key_of(figure->name);
        if (first) put_open(json, group, '{');
        write_figure(json, name, figure, result->ticks_per_s);
        if (last) put_close(json, '}');
        free(group);
        free(name);
    }
    put_close(json, '}');
}
