#include "scenario/json_scan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct json_scan json_scan_start(const char *text, size_t length) {
    return (struct json_scan){.text = text, .length = length};
}

bool json_scan_fail(struct json_scan *scan, size_t at, const char *format, ...) {
    if (*scan->error) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(scan->error, sizeof scan->error, format, args);
    va_end(args);
    scan->error_at = at;
    return false;
}

/// The next byte, or -1 at the end.
static int peek(const struct json_scan *scan) { return scan->at < scan->length ? (unsigned char)scan->text[scan->at] : -1; }

void json_scan_space(struct json_scan *scan) {
    while (scan->at < scan->length && strchr(" \t\r\n", scan->text[scan->at]) && scan->text[scan->at]) scan->at++;
}

bool json_scan_take(struct json_scan *scan, char byte) {
    if (peek(scan) != (unsigned char)byte) return false;
    scan->at++;
    return true;
}

/// "but found …" for what comes next: a character, a word, or the end.
static const char *found(const struct json_scan *scan, char out[static TEXT_QUOTE_SIZE]) {
    size_t end = scan->at;
    if (end == scan->length) return strcpy(out, "the end of the text");
    while (end < scan->length && end - scan->at < 40 && (isalnum((unsigned char)scan->text[end]) || scan->text[end] == '_')) end++;
    if (end == scan->at) end++;
    while (end < scan->length && (scan->text[end] & 0xc0) == 0x80) end++; // the rest of a character of several bytes
    if (end == scan->at + 1 && !isalnum((unsigned char)scan->text[scan->at])) {
        snprintf(out, TEXT_QUOTE_SIZE, "'%c'", scan->text[scan->at]);
        return out;
    }
    char word[48];
    snprintf(word, sizeof word, "%.*s", (int)(end - scan->at), scan->text + scan->at);
    return text_quote(word, out);
}

static bool fail_expected(struct json_scan *scan, const char *what) {
    char shown[TEXT_QUOTE_SIZE];
    if (peek(scan) == '/' || peek(scan) == '#') return json_scan_fail(scan, scan->at, "expected %s; JSON has no comments", what);
    if (peek(scan) == '\'') return json_scan_fail(scan, scan->at, "expected %s; strings stand in double quotes", what);
    return json_scan_fail(scan, scan->at, "expected %s, found %s", what, found(scan, shown));
}

static void append(struct json_string *out, const char *bytes, size_t count) {
    if (!out) return;
    ARRAY_RESERVE(out->bytes, out->capacity, out->length + count + 1);
    memcpy(out->bytes + out->length, bytes, count);
    out->length += count;
    out->bytes[out->length] = '\0';
}

static void append_utf8(struct json_string *out, uint32_t code) {
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(leads[count] | code);
    append(out, bytes, count);
}

static bool scan_hex4(struct json_scan *scan, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++, scan->at++) {
        int c = peek(scan);
        if (c < 0 || !isxdigit(c)) return json_scan_fail(scan, scan->at, "\\u is followed by four hexadecimal digits");
        *code = *code * 16 + (uint32_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    return true;
}

static bool scan_unicode_escape(struct json_scan *scan, size_t start, struct json_string *out) {
    uint32_t code, low;
    if (!scan_hex4(scan, &code)) return false;
    if (code == 0) return json_scan_fail(scan, start, "\\u0000 is not allowed in a string");
    if (code >= 0xd800 && code < 0xe000) {
        bool paired = code < 0xdc00 && json_scan_take(scan, '\\') && json_scan_take(scan, 'u');
        if (paired && !scan_hex4(scan, &low)) return false;
        if (!paired || low < 0xdc00 || low > 0xdfff) return json_scan_fail(scan, start, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(out, code);
    return true;
}

static bool scan_escape(struct json_scan *scan, struct json_string *out) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    size_t start = scan->at++;
    int c = peek(scan);
    if (c == 'u') {
        scan->at++;
        return scan_unicode_escape(scan, start, out);
    }
    const char *letter = c > 0 ? strchr(letters, c) : NULL;
    if (!letter) return json_scan_fail(scan, start, "unknown escape in a string; known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    append(out, &meant[letter - letters], 1);
    scan->at++;
    return true;
}

bool json_scan_string(struct json_scan *scan, struct json_string *out) {
    size_t start = scan->at;
    if (out) out->length = 0, append(out, "", 0);
    if (!json_scan_take(scan, '"')) return fail_expected(scan, "a string");
    while (!json_scan_take(scan, '"')) {
        int c = peek(scan);
        if (c < 0 || c == '\n' || c == '\r') return json_scan_fail(scan, start, "this string has no end on its line");
        if (c < 0x20) return json_scan_fail(scan, scan->at, "a control character in a string; write it as \\u%04x", (unsigned)c);
        if (c == '\\') {
            if (!scan_escape(scan, out)) return false;
            continue;
        }
        append(out, scan->text + scan->at++, 1);
    }
    return true;
}

static void scan_digits(struct json_scan *scan) {
    while (peek(scan) >= 0 && isdigit(peek(scan))) scan->at++;
}

/// Whether the number in text[start .. at-1] fits a double, or a 64-bit integer where it is whole.
static bool check_range(struct json_scan *scan, size_t start, bool whole) {
    char digits[400];
    size_t length = scan->at - start;
    if (length >= sizeof digits) return json_scan_fail(scan, start, "a number of %zu characters is too long", length);
    memcpy(digits, scan->text + start, length);
    digits[length] = '\0';
    errno = 0;
    bool fits = true;
    if (whole)
        fits = (strtoll(digits, NULL, 10), errno != ERANGE);
    else
        fits = isfinite(strtod(digits, NULL));
    return fits || json_scan_fail(scan, start, "the number %.40s is too large", digits);
}

static bool scan_number(struct json_scan *scan) {
    size_t start = scan->at;
    json_scan_take(scan, '-');
    size_t digits = scan->at;
    scan_digits(scan);
    if (scan->at == digits) return fail_expected(scan, "a digit");
    if (scan->text[digits] == '0' && scan->at - digits > 1) return json_scan_fail(scan, start, "a number does not begin with 0");
    bool whole = true;
    if (json_scan_take(scan, '.')) {
        whole = false;
        if (peek(scan) < 0 || !isdigit(peek(scan))) return fail_expected(scan, "a digit after the decimal point");
        scan_digits(scan);
    }
    if (json_scan_take(scan, 'e') || json_scan_take(scan, 'E')) {
        whole = false;
        if (!json_scan_take(scan, '+')) json_scan_take(scan, '-');
        if (peek(scan) < 0 || !isdigit(peek(scan))) return fail_expected(scan, "a digit in the exponent");
        scan_digits(scan);
    }
    if (peek(scan) >= 0 && isalpha(peek(scan))) {
        char shown[TEXT_QUOTE_SIZE];
        return json_scan_fail(scan, start, "a number is followed by %s; a quantity with a unit stands in double quotes",
                              found(scan, shown));
    }
    return check_range(scan, start, whole);
}

static bool scan_word(struct json_scan *scan) {
    static const char *const words[] = {"true", "false", "null", NULL};
    for (int i = 0; words[i]; i++) {
        size_t length = strlen(words[i]);
        if (scan->length - scan->at < length || memcmp(scan->text + scan->at, words[i], length)) continue;
        size_t end = scan->at + length;
        if (end < scan->length && isalnum((unsigned char)scan->text[end])) break;
        scan->at = end;
        return true;
    }
    return fail_expected(scan, "a value");
}

struct key {
    char *text;
    size_t at;
};

static int compare_keys(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

struct keys {
    struct key *items;
    size_t count, capacity;
};

static void add_key(struct keys *keys, struct json_string *name, size_t at) {
    ARRAY_RESERVE(keys->items, keys->capacity, keys->count + 1);
    keys->items[keys->count++] = (struct key){name->bytes, at};
    *name = (struct json_string){.bytes = NULL};
}

/// The earliest key that repeats one before it is an error; frees the keys.
static bool check_keys(struct json_scan *scan, struct keys *keys) {
    size_t repeated = SIZE_MAX;
    if (keys->count) qsort(keys->items, keys->count, sizeof *keys->items, compare_keys);
    for (size_t i = 1; i < keys->count; i++) {
        bool same = !strcmp(keys->items[i - 1].text, keys->items[i].text);
        if (same && (repeated == SIZE_MAX || keys->items[i].at < keys->items[repeated].at)) repeated = i;
    }
    char shown[TEXT_QUOTE_SIZE];
    if (repeated != SIZE_MAX)
        json_scan_fail(scan, keys->items[repeated].at, "the key %s is given twice in one object",
                       text_quote(keys->items[repeated].text, shown));
    for (size_t i = 0; i < keys->count; i++) free(keys->items[i].text);
    free(keys->items);
    return !*scan->error;
}

static bool scan_member(struct json_scan *scan, struct keys *keys) {
    struct json_string name = {.bytes = NULL};
    json_scan_space(scan);
    size_t at = scan->at;
    if (peek(scan) != '"') return fail_expected(scan, "a key in double quotes");
    if (!json_scan_string(scan, scan->check_keys ? &name : NULL)) {
        free(name.bytes);
        return false;
    }
    if (scan->check_keys) add_key(keys, &name, at);
    json_scan_space(scan);
    if (!json_scan_take(scan, ':')) return fail_expected(scan, "\":\" after the key");
    return json_scan_value(scan);
}

/// What stands between two items of a list or object: true with *more when another item follows.
static bool scan_separator(struct json_scan *scan, char close, bool *more) {
    json_scan_space(scan);
    *more = false;
    if (json_scan_take(scan, close)) return true;
    size_t comma = scan->at;
    if (!json_scan_take(scan, ',')) return fail_expected(scan, close == '}' ? "\",\" or \"}\"" : "\",\" or \"]\"");
    json_scan_space(scan);
    if (peek(scan) == close) return json_scan_fail(scan, comma, "a comma before \"%c\"; the last item has none", close);
    *more = true;
    return true;
}

static bool scan_members(struct json_scan *scan) {
    struct keys keys = {.count = 0};
    bool more = true;
    scan->at++;
    json_scan_space(scan);
    if (json_scan_take(scan, '}')) return true;
    while (more && scan_member(scan, &keys) && scan_separator(scan, '}', &more)) continue;
    return check_keys(scan, &keys);
}

static bool scan_items(struct json_scan *scan) {
    bool more = true;
    scan->at++;
    json_scan_space(scan);
    if (json_scan_take(scan, ']')) return true;
    while (more && json_scan_value(scan) && scan_separator(scan, ']', &more)) continue;
    return !*scan->error;
}

bool json_scan_value(struct json_scan *scan) {
    json_scan_space(scan);
    int c = peek(scan);
    if (c == '"') return json_scan_string(scan, NULL);
    if (c == '-' || (c >= '0' && c <= '9')) return scan_number(scan);
    if (c != '{' && c != '[') return scan_word(scan);
    if (scan->depth == JSON_MOST_NESTED)
        return json_scan_fail(scan, scan->at, "lists and objects are nested more than %d deep", JSON_MOST_NESTED);
    scan->depth++;
    bool ok = c == '{' ? scan_members(scan) : scan_items(scan);
    scan->depth--;
    return ok;
}
