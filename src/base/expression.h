#ifndef BASE_EXPRESSION_H
#define BASE_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/// Small integer expressions of a user, such as "(r-1-k) % p": parsed once, evaluated often. Values are 64-bit integers;
/// division rounds down and the remainder has the sign of the divisor, so that (r-1) % p is a rank. From loose to tight:
///   c ? a : b    ||    &&    == != < <= > >= (no chains)    |    ^ (xor)    &    << >>    + -    * / %    - !
/// and the functions log2(n) (rounded down), min(a, b), max(a, b). && || ?: evaluate only what they need; true is 1.
enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_VARIABLE,
    EXPRESSION_NEGATE,
    EXPRESSION_NOT,
    EXPRESSION_LOG2,
    EXPRESSION_CHOOSE, ///< operands: condition, then, else
    EXPRESSION_OR,     ///< the rest have two operands
    EXPRESSION_AND,
    EXPRESSION_EQUAL,
    EXPRESSION_UNEQUAL,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_BIT_OR,
    EXPRESSION_BIT_XOR,
    EXPRESSION_BIT_AND,
    EXPRESSION_SHIFT_LEFT,
    EXPRESSION_SHIFT_RIGHT,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_REMAINDER,
    EXPRESSION_MIN,
    EXPRESSION_MAX,
};

struct expression {
    enum expression_kind kind;
    int64_t value; ///< NUMBER: the number; VARIABLE: its index
    const struct expression *operands[3];
};

/// first .. last, both inside; NULL: none.
struct expression_range {
    const struct expression *first, *last;
};

/// A name for an expression.
struct expression_definition {
    const char *name;
    const struct expression *meaning;
};

/// The names that may occur in a text.
struct expression_names {
    const char *const *variables; ///< by index, NULL at the end
    const struct expression_definition *definitions;
    size_t count;
};

/// Owned by the arena; NULL with ERROR_INPUT.
const struct expression *expression_parse(struct arena *arena, const char *text, const struct expression_names *names, struct error *err);

/// "first..last"; one expression alone is both ends. False with ERROR_INPUT.
bool expression_parse_range(struct arena *arena, const char *text, const struct expression_names *names, struct expression_range *out,
                            struct error *err);

const struct expression *expression_number(struct arena *arena, int64_t value);

/// The value. Where there is none (division by 0, overflow, a shift by less than 0 or more than 62 bits, log2 of less than
/// 1) it is 0 and *mistake becomes a text that says so, unless one was there already.
int64_t expression_value(const struct expression *expression, const int64_t *variables, const char **mistake);

#endif
