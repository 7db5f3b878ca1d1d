#include "base/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static char *copy_text(const char *text) { return strcpy(allocate(strlen(text) + 1), text); }

static char *scoped(const struct figures *figures, const char *group) {
    char *text = allocate(strlen(figures->scope) + strlen(group) + 1);
    return strcat(strcpy(text, figures->scope), group);
}

static struct figure *add(struct figures *figures, enum figure_kind kind, const char *group, const char *name) {
    ARRAY_RESERVE(figures->items, figures->capacity, figures->count + 1);
    struct figure *figure = &figures->items[figures->count++];
    *figure = (struct figure){.kind = kind, .group = scoped(figures, group), .name = copy_text(name)};
    return figure;
}

static void add_two(struct figures *figures, enum figure_kind kind, const char *const group_and_name[2], int64_t value, int64_t other) {
    struct figure *figure = add(figures, kind, group_and_name[0], group_and_name[1]);
    figure->value = value, figure->other = other;
}

void figures_free(struct figures *figures) {
    for (size_t i = 0; i < figures->count; i++) {
        free(figures->items[i].group);
        free(figures->items[i].name);
        free(figures->items[i].text);
    }
    free(figures->items);
    *figures = (struct figures){0};
}

void figures_time(struct figures *figures, const char *group, const char *name, int64_t ticks) {
    add_two(figures, FIGURE_TIME, (const char *const[]){group, name}, ticks, 0);
}

void figures_span(struct figures *figures, const char *group, const char *name, int64_t start_ticks, int64_t end_ticks) {
    add_two(figures, FIGURE_SPAN, (const char *const[]){group, name}, start_ticks, end_ticks);
}

void figures_bytes(struct figures *figures, const char *group, const char *name, int64_t bytes) {
    add_two(figures, FIGURE_BYTES, (const char *const[]){group, name}, bytes, 0);
}

void figures_rate(struct figures *figures, const char *group, const char *name, int64_t bytes, int64_t ticks) {
    add_two(figures, FIGURE_RATE, (const char *const[]){group, name}, bytes, ticks);
}

void figures_share(struct figures *figures, const char *group, const char *name, int64_t part, int64_t whole) {
    add_two(figures, FIGURE_SHARE, (const char *const[]){group, name}, part, whole);
}

void figures_ratio(struct figures *figures, const char *group, const char *name, int64_t value, int64_t over) {
    add_two(figures, FIGURE_RATIO, (const char *const[]){group, name}, value, over);
}

void figures_frequency(struct figures *figures, const char *group, const char *name, int64_t value, int64_t ticks) {
    add_two(figures, FIGURE_FREQUENCY, (const char *const[]){group, name}, value, ticks);
}

void figures_count(struct figures *figures, const char *group, const char *name, int64_t count) {
    add_two(figures, FIGURE_COUNT, (const char *const[]){group, name}, count, 0);
}

void figures_text(struct figures *figures, const char *group, const char *name, const char *text) {
    add(figures, FIGURE_TEXT, group, name)->text = copy_text(text);
}

size_t figures_enter(struct figures *figures, size_t index) {
    size_t length = strlen(figures->scope);
    snprintf(figures->scope + length, sizeof figures->scope - length, "%zu/", index);
    return length;
}

void figures_leave(struct figures *figures, size_t scope_length) { figures->scope[scope_length] = '\0'; }

const struct figure *figures_find(const struct figures *figures, const char *group, const char *name) {
    for (size_t i = 0; i < figures->count; i++)
        if (!strcmp(figures->items[i].group, group) && !strcmp(figures->items[i].name, name)) return &figures->items[i];
    return NULL;
}
