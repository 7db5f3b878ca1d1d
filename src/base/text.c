#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { SHOWN_CHARACTERS = 48, LONGEST_COMPARED = 63 };

char *text_quote(const char *text, char *out) {
    char *end = out;
    *end++ = '"';
    int shown = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const bool continues = (*c & 0xc0) == 0x80;
        if (!continues && shown++ == SHOWN_CHARACTERS) {
            end += sprintf(end, "…");
            break;
        }
        if (*c < 0x20 || *c == 0x7f)
            end += sprintf(end, "\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            end += sprintf(end, "\\%c", *c);
        else
            *end++ = (char)*c;
    }
    *end++ = '"';
    *end = '\0';
    return out;
}

char *text_format_list(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = allocate(size);
    vsnprintf(text, size, format, args);
    return text;
}

char *text_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = text_format_list(format, args);
    va_end(args);
    return text;
}

static int folded(char c) { return c == '_' ? '-' : tolower((unsigned char)c); }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

size_t text_distance(const char *a, const char *b) {
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST_COMPARED || columns > LONGEST_COMPARED) return SIZE_MAX;
    size_t cost[LONGEST_COMPARED + 1][LONGEST_COMPARED + 1];
    for (size_t j = 0; j <= columns; j++) cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        cost[i][0] = i;
        for (size_t j = 1; j <= columns; j++) {
            int x = folded(a[i - 1]), y = folded(b[j - 1]);
            size_t best = smaller(cost[i - 1][j], cost[i][j - 1]) + 1;
            best = smaller(best, cost[i - 1][j - 1] + (x != y));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2])) best = smaller(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

const char *text_nearest(const char *text, const char *const *choices) {
    const char *nearest = NULL;
    size_t least = (strlen(text) + 2) / 3 + 1; // a third of the characters may be wrong
    for (; *choices; choices++) {
        size_t distance = text_distance(text, *choices);
        if (distance >= least || distance >= strlen(*choices)) continue;
        least = distance;
        nearest = *choices;
    }
    return nearest;
}

char *text_meant(const char *text, const char *const *choices, char *out) {
    const char *nearest = text_nearest(text, choices);
    *out = '\0';
    if (nearest) snprintf(out, TEXT_MEANT_SIZE, " (did you mean \"%s\"?)", nearest);
    return out;
}

char *text_join(const char *const *names, char *out, size_t size) {
    *out = '\0';
    for (size_t used = 0; *names && used < size; names++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", *names);
    return out;
}
