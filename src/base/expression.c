#include "base/expression.h"

#include <stddef.h>

enum { MOST_SHIFTED = 62 };

static int64_t wrong(const char **mistake, const char *what) {
    if (!*mistake) *mistake = what;
    return 0;
}

/// Rounded down; the remainder has the sign of b.
static int64_t divide(int64_t a, int64_t b, int64_t *remainder, const char **mistake) {
    *remainder = 0;
    if (b == 0) return wrong(mistake, "it divides by 0");
    if (b == -1) {
        int64_t negated;
        return __builtin_sub_overflow((int64_t)0, a, &negated) ? wrong(mistake, "it is above 2^63") : negated;
    }
    int64_t quotient = a / b;
    *remainder = a % b;
    if (*remainder != 0 && (*remainder < 0) != (b < 0)) {
        quotient--;
        *remainder += b;
    }
    return quotient;
}

static int64_t shift_left(int64_t a, int64_t b, const char **mistake) {
    if (b < 0 || b > MOST_SHIFTED) return wrong(mistake, "it shifts by less than 0 or more than 62 bits");
    int64_t shifted;
    return __builtin_mul_overflow(a, INT64_C(1) << b, &shifted) ? wrong(mistake, "it is above 2^63") : shifted;
}

/// Rounded down, as division is.
static int64_t shift_right(int64_t a, int64_t b, const char **mistake) {
    int64_t remainder;
    if (b < 0 || b > MOST_SHIFTED) return wrong(mistake, "it shifts by less than 0 or more than 62 bits");
    return divide(a, INT64_C(1) << b, &remainder, mistake);
}

static int64_t checked(bool overflow, int64_t value, const char **mistake) { return overflow ? wrong(mistake, "it is above 2^63") : value; }

static int64_t arithmetic(enum expression_kind kind, int64_t a, int64_t b, const char **mistake) {
    int64_t value = 0, remainder;
    bool overflow;
    switch (kind) {
    case EXPRESSION_ADD: overflow = __builtin_add_overflow(a, b, &value); return checked(overflow, value, mistake);
    case EXPRESSION_SUBTRACT: overflow = __builtin_sub_overflow(a, b, &value); return checked(overflow, value, mistake);
    case EXPRESSION_MULTIPLY: overflow = __builtin_mul_overflow(a, b, &value); return checked(overflow, value, mistake);
    case EXPRESSION_DIVIDE: return divide(a, b, &remainder, mistake);
    case EXPRESSION_REMAINDER: divide(a, b, &remainder, mistake); return remainder;
    case EXPRESSION_SHIFT_LEFT: return shift_left(a, b, mistake);
    case EXPRESSION_SHIFT_RIGHT: return shift_right(a, b, mistake);
    case EXPRESSION_BIT_OR: return a | b;
    case EXPRESSION_BIT_XOR: return a ^ b;
    case EXPRESSION_BIT_AND: return a & b;
    case EXPRESSION_EQUAL: return a == b;
    case EXPRESSION_UNEQUAL: return a != b;
    case EXPRESSION_LESS: return a < b;
    case EXPRESSION_LESS_EQUAL: return a <= b;
    case EXPRESSION_GREATER: return a > b;
    case EXPRESSION_GREATER_EQUAL: return a >= b;
    case EXPRESSION_MIN: return a < b ? a : b;
    case EXPRESSION_MAX: return a > b ? a : b;
    default: fatal("an expression of the unknown kind %d", (int)kind);
    }
}

static int64_t log2_down(int64_t n, const char **mistake) {
    return n < 1 ? wrong(mistake, "it takes log2 of less than 1") : 63 - __builtin_clzll((unsigned long long)n);
}

int64_t expression_value(const struct expression *expression, const int64_t *variables, const char **mistake) {
    const struct expression *const *operands = expression->operands;
    if (expression->kind == EXPRESSION_NUMBER) return expression->value;
    if (expression->kind == EXPRESSION_VARIABLE) return variables[expression->value];
    int64_t a = expression_value(operands[0], variables, mistake);
    switch (expression->kind) {
    case EXPRESSION_NEGATE: return arithmetic(EXPRESSION_SUBTRACT, 0, a, mistake);
    case EXPRESSION_NOT: return !a;
    case EXPRESSION_LOG2: return log2_down(a, mistake);
    case EXPRESSION_CHOOSE: return expression_value(operands[a ? 1 : 2], variables, mistake);
    case EXPRESSION_OR: return a || expression_value(operands[1], variables, mistake);
    case EXPRESSION_AND: return a && expression_value(operands[1], variables, mistake);
    default: return arithmetic(expression->kind, a, expression_value(operands[1], variables, mistake), mistake);
    }
}

const struct expression *expression_number(struct arena *arena, int64_t value) {
    struct expression *number = arena_allocate(arena, sizeof *number);
    number->value = value;
    return number;
}
