#include "report/columns.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

void columns_add(struct columns *columns, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *cell = text_format_list(format, args);
    va_end(args);
    ARRAY_RESERVE(columns->items, columns->capacity, columns->cells + 1);
    columns->items[columns->cells++] = cell;
}

void columns_start(struct columns *columns, const char *const *titles) {
    *columns = (struct columns){0};
    for (; titles[columns->count]; columns->count++) columns_add(columns, "%s", titles[columns->count]);
}

/// Characters shown: UTF-8 sequences count once, colour codes (ESC [ … m) not at all.
static int shown_width(const char *text) {
    int width = 0;
    for (; *text; text++) {
        if (*text == '\033') {
            while (*text && *text != 'm') text++;
            if (!*text) break;
            continue;
        }
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static const char *cell_text(const struct columns *columns, size_t cell) {
    const char *text = columns->items[cell];
    return cell < columns->count && *text == '<' ? text + 1 : text;
}

static void print_row(const struct columns *columns, size_t first, const int *widths, FILE *out) {
    for (size_t c = 0; c < columns->count; c++) {
        const char *text = cell_text(columns, first + c);
        int gap = widths[c] - shown_width(text);
        bool left = columns->items[c][0] == '<', last = c + 1 == columns->count;
        fprintf(out, "  %*s%s%*s", left ? 0 : gap, "", text, left && !last ? gap : 0, "");
    }
    fputc('\n', out);
}

void columns_finish(struct columns *columns, FILE *out) {
    int *widths = allocate_zeroed(columns->count, sizeof *widths);
    for (size_t i = 0; i < columns->cells; i++) {
        int width = shown_width(cell_text(columns, i));
        if (width > widths[i % columns->count]) widths[i % columns->count] = width;
    }
    for (size_t i = 0; i + columns->count <= columns->cells; i += columns->count) print_row(columns, i, widths, out);
    free(widths);
    for (size_t i = 0; i < columns->cells; i++) free(columns->items[i]);
    free(columns->items);
    *columns = (struct columns){0};
}
