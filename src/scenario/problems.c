#include "scenario/problems.h"

#include <stdlib.h>
#include <string.h>

/// More problems than these are only counted: each costs a pass over the text, and nobody reads on.
enum { MOST_PROBLEMS = 100 };

/// Copies the pointer without control characters, cut to whole characters where it is too long.
static void copy_pointer(const char *pointer, char *out, size_t size) {
    size_t length = strlen(pointer);
    if (length >= size) {
        length = size - 1;
        while (length && (pointer[length] & 0xc0) == 0x80) length--;
    }
    for (size_t i = 0; i < length; i++) out[i] = (unsigned char)pointer[i] < 0x20 || pointer[i] == 0x7f ? '?' : pointer[i];
    out[length] = '\0';
}

static bool stands_before(struct text_position a, const struct problem *b) {
    return a.line != b->line ? a.line < b->line : a.column < b->column;
}

void problems_add_at(struct problems *problems, struct text_position position, const char *pointer, const char *format, va_list args) {
    if (problems->count == MOST_PROBLEMS) {
        problems->omitted++;
        return;
    }
    ARRAY_RESERVE(problems->items, problems->capacity, problems->count + 1);
    size_t place = problems->count;
    while (place && stands_before(position, &problems->items[place - 1])) place--;
    struct problem *added = &problems->items[place];
    memmove(added + 1, added, (problems->count++ - place) * sizeof *added);
    added->line = position.line;
    added->column = position.column;
    copy_pointer(pointer, added->pointer, sizeof added->pointer);
    vsnprintf(added->text, sizeof added->text, format, args);
}

void problems_add(struct problems *problems, const char *text, const char *pointer, const char *format, ...) {
    struct text_position position = {0, 0};
    if (text && problems->count < MOST_PROBLEMS) position = json_position(text, pointer, false);
    va_list args;
    va_start(args, format);
    problems_add_at(problems, position, pointer, format, args);
    va_end(args);
}

void problems_add_error(struct problems *problems, const char *text, const char *pointer, const struct error *error) {
    size_t size = strlen(pointer) + sizeof error->where + 2;
    char *joined = allocate(size);
    snprintf(joined, size, "%s%s%s", pointer, *error->where ? "/" : "", error->where);
    problems_add(problems, text, joined, "%s", error->text);
    free(joined);
}

void problems_free(struct problems *problems) {
    free(problems->items);
    *problems = (struct problems){.count = 0};
}

void problems_print(const struct problems *problems, const char *file, FILE *out) {
    if (!file) file = "command line";
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->items[i];
        fputs(file, out);
        if (problem->line) fprintf(out, ":%u:%u", problem->line, problem->column);
        fprintf(out, ": %s%s%s\n", problem->pointer, *problem->pointer ? ": " : "", problem->text);
    }
    if (problems->omitted) fprintf(out, "%s: and %zu more problems\n", file, problems->omitted);
}
