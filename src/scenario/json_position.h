#ifndef SCENARIO_JSON_POSITION_H
#define SCENARIO_JSON_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A place in a text: both count from 1, columns in characters.
struct text_position {
    uint32_t line, column;
};

/// The place of the byte `at` of a UTF-8 text.
struct text_position text_position_of(const char *text, size_t at);

/// The place of the value that a JSON pointer names in JSON text (of its key where `of_key`, if it has one); of the
/// nearest value around it where there is no such value.
struct text_position json_position(const char *text, const char *pointer, bool of_key);

#endif
