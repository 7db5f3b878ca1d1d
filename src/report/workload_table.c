#include <string.h>

#include "base/units.h"
#include "report/workload.h"

static void print_ratio(const struct figure *figure, double scale, const char *unit, FILE *out) {
    if (figure->other == 0)
        fputc('-', out);
    else
        fprintf(out, "%.4g%s", scale * (double)figure->value / (double)figure->other, unit);
}

static void print_value(const struct figure *figure, int64_t ticks_per_s, FILE *out) {
    char text[QUANTITY_SIZE], more[QUANTITY_SIZE];
    switch (figure->kind) {
    case FIGURE_TIME: fputs(format_time(figure->value, ticks_per_s, text), out); break;
    case FIGURE_SPAN:
        fprintf(out, "%s, from %s", format_time(figure->other - figure->value, ticks_per_s, text),
                format_time(figure->value, ticks_per_s, more));
        break;
    case FIGURE_BYTES: fputs(format_bytes((double)figure->value, text), out); break;
    case FIGURE_RATE:
        if (figure->other == 0)
            fputc('-', out);
        else
            fputs(format_rate((double)figure->value / (double)figure->other * (double)ticks_per_s, text), out);
        break;
    case FIGURE_SHARE: print_ratio(figure, 100, " %", out); break;
    case FIGURE_RATIO: print_ratio(figure, 1, "", out); break;
    case FIGURE_FREQUENCY: print_ratio(figure, (double)ticks_per_s, " /s", out); break;
    case FIGURE_COUNT: fprintf(out, "%lld", (long long)figure->value); break;
    case FIGURE_TEXT: fputs(figure->text, out); break;
    }
}

void print_figures(const struct run_result *result, FILE *out) {
    size_t width = 0;
    for (size_t i = 0; i < result->figures.count; i++) {
        size_t length = strlen(result->figures.items[i].name);
        if (length > width) width = length;
    }
    const char *group = "";
    for (size_t i = 0; i < result->figures.count; i++) {
        const struct figure *figure = &result->figures.items[i];
        if (strcmp(figure->group, group)) fprintf(out, "\n%s\n", figure->group);
        group = figure->group;
        fprintf(out, "  %-*s  ", (int)width, figure->name);
        print_value(figure, result->ticks_per_s, out);
        fputc('\n', out);
    }
}
