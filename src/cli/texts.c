#include "cli/texts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void texts_add(struct texts *texts, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = text_format_list(format, args);
    va_end(args);
    ARRAY_RESERVE(texts->items, texts->capacity, texts->count + 1);
    texts->items[texts->count++] = text;
}

/// How long the part is that starts at `text`: up to the comma outside of brackets and quotes, or to the end.
static size_t part_length(const char *text) {
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; text[i]; i++) {
        char c = text[i];
        if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        if (c == '[' || c == '{') depth++;
        if (c == ']' || c == '}') depth--;
        if (c == ',' && depth <= 0) break;
    }
    return i;
}

void texts_add_split(struct texts *texts, const char *text) {
    for (;;) {
        size_t length = part_length(text);
        texts_add(texts, "%.*s", (int)length, text);
        if (!text[length]) return;
        text += length + 1;
    }
}

void texts_free(struct texts *texts) {
    for (size_t i = 0; i < texts->count; i++) free(texts->items[i]);
    free(texts->items);
    *texts = (struct texts){0};
}
