#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/// A growable list of texts, each owned by the list. Zero-initialise.
struct texts {
    size_t count, capacity;
    char **items;
};

void texts_add(struct texts *texts, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Adds the parts of `text` between commas; commas inside brackets, braces or double quotes do not part.
void texts_add_split(struct texts *texts, const char *text);

void texts_free(struct texts *texts);

#endif
