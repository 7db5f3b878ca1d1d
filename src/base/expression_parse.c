// A recursive descent: one function a kind of operand, one loop for all levels of binary operators.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/text.h"

enum { MOST_NESTED = 50, LONGEST_TEXT = 1000, LONGEST_NAME = 32, LOOSEST = 1, COMPARISON = 3 };

struct parser {
    struct arena *arena;
    const char *text, *at;
    const struct expression_names *names;
    int depth;
    struct error *err;
};

static const struct binary {
    const char *sign; ///< longer ones before those they begin with
    int level;        ///< the higher, the tighter
    enum expression_kind kind;
} binaries[] = {
    {"||", 1, EXPRESSION_OR},
    {"&&", 2, EXPRESSION_AND},
    {"==", COMPARISON, EXPRESSION_EQUAL},
    {"!=", COMPARISON, EXPRESSION_UNEQUAL},
    {"<<", 7, EXPRESSION_SHIFT_LEFT},
    {">>", 7, EXPRESSION_SHIFT_RIGHT},
    {"<=", COMPARISON, EXPRESSION_LESS_EQUAL},
    {">=", COMPARISON, EXPRESSION_GREATER_EQUAL},
    {"<", COMPARISON, EXPRESSION_LESS},
    {">", COMPARISON, EXPRESSION_GREATER},
    {"|", 4, EXPRESSION_BIT_OR},
    {"^", 5, EXPRESSION_BIT_XOR},
    {"&", 6, EXPRESSION_BIT_AND},
    {"+", 8, EXPRESSION_ADD},
    {"-", 8, EXPRESSION_SUBTRACT},
    {"*", 9, EXPRESSION_MULTIPLY},
    {"/", 9, EXPRESSION_DIVIDE},
    {"%", 9, EXPRESSION_REMAINDER},
};

static const struct function {
    const char *name;
    int operands;
    enum expression_kind kind;
} functions[] = {{"log2", 1, EXPRESSION_LOG2}, {"min", 2, EXPRESSION_MIN}, {"max", 2, EXPRESSION_MAX}};

static const struct expression *parse_choice(struct parser *parser);

static const struct expression *fail(struct parser *parser, const char *what) {
    char shown[TEXT_QUOTE_SIZE];
    error_set(parser->err, ERROR_INPUT, "%s, character %d: %s", text_quote(parser->text, shown), (int)(parser->at - parser->text) + 1,
              what);
    return NULL;
}

static void skip_space(struct parser *parser) {
    while (*parser->at == ' ') parser->at++;
}

static bool take(struct parser *parser, const char *sign) {
    skip_space(parser);
    if (strncmp(parser->at, sign, strlen(sign))) return false;
    parser->at += strlen(sign);
    return true;
}

static const struct expression *node(struct parser *parser, enum expression_kind kind, const struct expression *const operands[3]) {
    struct expression *made = arena_allocate(parser->arena, sizeof *made);
    made->kind = kind;
    memcpy(made->operands, operands, sizeof made->operands);
    return made;
}

static const struct expression *parse_number(struct parser *parser) {
    int64_t value = 0;
    for (; isdigit((unsigned char)*parser->at); parser->at++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value) || __builtin_add_overflow(value, (int64_t)(*parser->at - '0'), &value))
            return fail(parser, "the number is above 2^63");
    return expression_number(parser->arena, value);
}

static const struct expression *parse_arguments(struct parser *parser, const struct function *function) {
    const struct expression *operands[3] = {NULL};
    if (!take(parser, "(")) return fail(parser, "expected \"(\" after the name of a function");
    for (int i = 0; i < function->operands; i++) {
        if (i > 0 && !take(parser, ",")) return fail(parser, "expected \",\"");
        operands[i] = parse_choice(parser);
        if (!operands[i]) return NULL;
    }
    if (!take(parser, ")")) return fail(parser, "expected \")\"");
    return node(parser, function->kind, operands);
}

static const struct expression *unknown_name(struct parser *parser) {
    char known[200] = "";
    const struct expression_names *names = parser->names;
    for (const char *const *name = names->variables; *name; name++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s, ", *name);
    }
    for (size_t i = 0; i < names->count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s, ", names->definitions[i].name);
    }
    char what[280];
    snprintf(what, sizeof what, "an unknown name; known here: %slog2, min, max", known);
    return fail(parser, what);
}

/// What a name stands for, without arguments; NULL where it is none of the names.
static const struct expression *find_name(struct parser *parser, const char *name) {
    const struct expression_names *names = parser->names;
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->definitions[i].name, name)) return names->definitions[i].meaning;
    for (int64_t i = 0; names->variables[i]; i++) {
        if (strcmp(names->variables[i], name)) continue;
        struct expression *variable = arena_allocate(parser->arena, sizeof *variable);
        *variable = (struct expression){.kind = EXPRESSION_VARIABLE, .value = i};
        return variable;
    }
    return NULL;
}

static const struct expression *parse_name(struct parser *parser) {
    char name[LONGEST_NAME];
    size_t length = 0;
    while (length + 1 < sizeof name && (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')) length++;
    memcpy(name, parser->at, length);
    name[length] = '\0';
    const struct expression *found = find_name(parser, name);
    if (found) parser->at += length;
    if (found) return found;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name)) continue;
        parser->at += length;
        return parse_arguments(parser, &functions[i]);
    }
    return unknown_name(parser);
}

static const struct expression *parse_operand(struct parser *parser) {
    const struct expression *operands[3] = {NULL};
    if (++parser->depth > MOST_NESTED) return fail(parser, "nested too deeply");
    if (take(parser, "-") || take(parser, "!")) {
        enum expression_kind kind = parser->at[-1] == '-' ? EXPRESSION_NEGATE : EXPRESSION_NOT;
        operands[0] = parse_operand(parser);
        parser->depth--;
        return operands[0] ? node(parser, kind, operands) : NULL;
    }
    const struct expression *operand;
    if (take(parser, "(")) {
        operand = parse_choice(parser);
        if (operand && !take(parser, ")")) operand = fail(parser, "expected \")\" or an operator");
    } else if (isdigit((unsigned char)*parser->at)) {
        operand = parse_number(parser);
    } else if (isalpha((unsigned char)*parser->at)) {
        operand = parse_name(parser);
    } else {
        operand = fail(parser, "expected a number, a name or \"(\"");
    }
    parser->depth--;
    return operand;
}

/// The binary operator that stands next, or NULL. ".." ends an expression, so no operator begins with a point.
static const struct binary *next_binary(struct parser *parser) {
    skip_space(parser);
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (!strncmp(parser->at, binaries[i].sign, strlen(binaries[i].sign))) return &binaries[i];
    return NULL;
}

/// Operands joined by operators of `level` and tighter ones.
static const struct expression *parse_binary(struct parser *parser, int level) {
    const struct expression *left = parse_operand(parser);
    bool compared = false;
    const struct binary *binary;
    while (left && (binary = next_binary(parser)) && binary->level >= level) {
        if (binary->level == COMPARISON && compared) return fail(parser, "comparisons do not chain; join them with &&");
        compared = binary->level == COMPARISON;
        parser->at += strlen(binary->sign);
        const struct expression *right = parse_binary(parser, binary->level + 1);
        left = right ? node(parser, binary->kind, (const struct expression *[3]){left, right, NULL}) : NULL;
    }
    return left;
}

static const struct expression *parse_choice(struct parser *parser) {
    if (++parser->depth > MOST_NESTED) return fail(parser, "nested too deeply");
    if (parser->depth == 1 && strlen(parser->text) > LONGEST_TEXT) return fail(parser, "longer than 1000 characters");
    const struct expression *operands[3] = {parse_binary(parser, LOOSEST)};
    const struct expression *made = operands[0];
    if (made && take(parser, "?")) {
        made = NULL;
        operands[1] = parse_choice(parser);
        if (operands[1] && !take(parser, ":")) operands[1] = fail(parser, "expected \":\" or an operator");
        operands[2] = operands[1] ? parse_choice(parser) : NULL;
        if (operands[2]) made = node(parser, EXPRESSION_CHOOSE, operands);
    }
    parser->depth--;
    return made;
}

const struct expression *expression_parse(struct arena *arena, const char *text, const struct expression_names *names, struct error *err) {
    struct parser parser = {arena, text, text, names, 0, err};
    const struct expression *parsed = parse_choice(&parser);
    skip_space(&parser);
    return parsed && *parser.at ? fail(&parser, "expected an operator or the end") : parsed;
}

bool expression_parse_range(struct arena *arena, const char *text, const struct expression_names *names, struct expression_range *out,
                            struct error *err) {
    struct parser parser = {arena, text, text, names, 0, err};
    out->first = out->last = parse_choice(&parser);
    if (out->first && take(&parser, "..")) out->last = parse_choice(&parser);
    skip_space(&parser);
    return out->last && (!*parser.at || fail(&parser, "expected an operator, \"..\" or the end"));
}
