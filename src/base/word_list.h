#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

#include <stdint.h>

#include "base/memory.h"

/// Words that grow: the description of a state, equal to another where the states are. Zero-initialise; free `words`.
struct word_list {
    uint64_t *words;
    size_t count, capacity;
};

static inline void words_add(struct word_list *list, uint64_t word) {
    ARRAY_RESERVE(list->words, list->capacity, list->count + 1);
    list->words[list->count++] = word;
}

static inline void words_add_ticks(struct word_list *list, int64_t ticks) { words_add(list, (uint64_t)ticks); }

#endif
