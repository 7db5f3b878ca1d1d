// Rows that hold one value: numbers, words, quantities.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/reader.h"

static bool in_range(struct reader *reader, const struct field *field, int64_t value) {
    long long min = (long long)field->min, max = (long long)field->max;
    if (field->min == field->max && !field->min) return true; // a row without limits
    if (value >= field->min && value <= field->max) return true;
    if (max - min < 1000 && min >= 0)
        reader_problem(reader, "%lld is not allowed; %lld to %lld are", (long long)value, min, max);
    else if (value < field->min)
        reader_problem(reader, "%lld is too small; the least is %lld", (long long)value, min);
    else
        reader_problem(reader, "%lld is too large; the most is %lld", (long long)value, max);
    return false;
}

void read_integer(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    if (!json_is_integer(value))
        reader_expected(reader, "an integer", value);
    else if (in_range(reader, field, json_integer_value(value)))
        *(int64_t *)place = json_integer_value(value);
}

static const char *format_decimal(int64_t millionths, char out[static 32]) {
    snprintf(out, 32, "%.12g", (double)millionths / (double)MILLION);
    return out;
}

void read_decimal(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    char text[32];
    double scaled = json_number_value(value) * (double)MILLION;
    if (!json_is_number(value) || fabs(scaled) > 9e15 || fabs(scaled - round(scaled)) > 1e-3)
        reader_expected(reader, "a number with at most six decimals", value);
    else if (llround(scaled) < field->min)
        reader_problem(reader, "the number is too small; the least is %s", format_decimal(field->min, text));
    else if (llround(scaled) > field->max)
        reader_problem(reader, "the number is too large; the most is %s", format_decimal(field->max, text));
    else
        *(int64_t *)place = llround(scaled);
}

void read_boolean(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    if (json_is_boolean(value))
        *(bool *)place = json_is_true(value);
    else
        reader_expected(reader, "true or false", value);
}

void read_choice(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    const char *text = json_string_value(value);
    if (!text) {
        reader_expected_choice(reader, field->choices, value);
        return;
    }
    for (int i = 0; field->choices[i]; i++) {
        if (strcmp(field->choices[i], text)) continue;
        *(int *)place = i;
        return;
    }
    reader_unknown(reader, field->name, text, field->choices);
}

void read_string(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    if (json_is_string(value))
        *(const char **)place = arena_copy_text(reader->arena, json_string_value(value));
    else
        reader_expected(reader, "a string", value);
}

void read_node(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    char number[24];
    const char *text = json_string_value(value);
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        text = number;
    }
    if (text && *text)
        *(const char **)place = arena_copy_text(reader->arena, text);
    else
        reader_expected(reader, "a node: a number from 0 on, or a name", value);
}

/// The text of a quantity: a string, or a number that the parser refuses because it has no unit. NULL after a problem.
static const char *quantity_text(struct reader *reader, const json_t *value, const char *what, char number[static 40]) {
    if (json_is_string(value)) return json_string_value(value);
    if (!json_is_number(value)) {
        reader_expected(reader, what, value);
        return NULL;
    }
    if (json_is_integer(value))
        snprintf(number, 40, "%lld", (long long)json_integer_value(value));
    else
        snprintf(number, 40, "%.15g", json_real_value(value));
    return number;
}

static void report_no_word(struct reader *reader, const char *word, const char *text) {
    const char *words[] = {word, NULL};
    char shown[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    reader_problem(reader, "%s is neither a size such as \"64KiB\" nor \"%s\"%s", text_quote(text, shown), word,
                   text_meant(text, words, meant));
}

void read_bytes(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    char number[40], bound[QUANTITY_SIZE];
    const char *text = quantity_text(reader, value, "a size such as \"64KiB\"", number);
    if (!text) return;
    if (field->word && !strcmp(text, field->word)) {
        *(int64_t *)place = 0;
        return;
    }
    struct error error = {.kind = ERROR_NONE};
    int64_t bytes;
    if (!parse_bytes(text, &bytes, &error)) {
        if (field->word && !strpbrk(text, "0123456789"))
            report_no_word(reader, field->word, text);
        else
            reader_problem(reader, "%s", error.text);
    } else if (field->max > 0 && bytes < field->min) {
        reader_problem(reader, "%s is too small; the least is %s", text, format_bytes_exact(field->min, bound));
    } else if (field->max > 0 && bytes > field->max) {
        reader_problem(reader, "%s is too large; the most is %s", text, format_bytes_exact(field->max, bound));
    } else {
        *(int64_t *)place = bytes;
    }
}

void read_rate(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    char number[40], bound[QUANTITY_SIZE];
    const char *text = quantity_text(reader, value, "a rate such as \"45GB/s\"", number);
    if (!text) return;
    struct error error = {.kind = ERROR_NONE};
    int64_t rate;
    if (!parse_rate(text, &rate, &error))
        reader_problem(reader, "%s", error.text);
    else if (field->max > 0 && rate < field->min)
        reader_problem(reader, "%s is too small; the least is %s", text, format_rate_exact(field->min, bound));
    else if (field->max > 0 && rate > field->max)
        reader_problem(reader, "%s is too large; the most is %s", text, format_rate_exact(field->max, bound));
    else
        *(int64_t *)place = rate;
}

void read_time(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    char number[40], bound[QUANTITY_SIZE];
    const char *text = quantity_text(reader, value, "a time such as \"1.5us\"", number);
    if (!text) return;
    struct error error = {.kind = ERROR_NONE};
    int64_t ticks;
    if (!parse_time(text, reader->ticks_per_s, &ticks, &error))
        reader_problem(reader, "%s", error.text);
    else if (field->max > 0 && ticks < field->min)
        reader_problem(reader, "%s is too short; the least is %s", text, format_time_exact(field->min, reader->ticks_per_s, bound));
    else if (field->max > 0 && ticks > field->max)
        reader_problem(reader, "%s is too long; the most is %s", text, format_time_exact(field->max, reader->ticks_per_s, bound));
    else
        *(int64_t *)place = ticks;
}

char *read_named_text(struct reader *reader, const char *name, size_t *length) {
    const char *directory = *name == '/' || !reader->directory ? "" : reader->directory;
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = allocate(size);
    snprintf(path, size, "%s%s%s", directory, *directory ? "/" : "", name);
    struct error error = {.kind = ERROR_NONE};
    char *text = read_text(path, length, &error);
    if (!text) reader_problem(reader, "%s", error.text);
    free(path);
    return text;
}
