#include "scenario/json_position.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scenario/json_scan.h"

struct text_position text_position_of(const char *text, size_t at) {
    struct text_position position = {1, 1};
    for (size_t i = 0; i < at; i++) {
        if (text[i] == '\n')
            position.line++, position.column = 1;
        else if ((text[i] & 0xc0) != 0x80)
            position.column++;
    }
    return position;
}

/// The next token of a pointer with ~1 and ~0 undone, in memory of its own; NULL at the end.
static char *next_token(const char **pointer) {
    if (**pointer != '/') return NULL;
    size_t length = strcspn(++*pointer, "/");
    char *token = allocate(length + 1), *end = token;
    for (size_t i = 0; i < length; i++) {
        char c = (*pointer)[i];
        if (c == '~' && i + 1 < length) c = (*pointer)[++i] == '1' ? '/' : '~';
        *end++ = c;
    }
    *end = '\0';
    *pointer += length;
    return token;
}

/// Moves from the object at `scan` to the value of `key`; *key_at is where the key stands. False when there is none.
static bool enter_member(struct json_scan *scan, const char *key, size_t *key_at) {
    struct json_string name = {.bytes = NULL};
    bool entered = false, more = json_scan_take(scan, '{');
    while (more && !entered) {
        json_scan_space(scan);
        *key_at = scan->at;
        more = json_scan_string(scan, &name);
        json_scan_space(scan);
        more = more && json_scan_take(scan, ':');
        entered = more && !strcmp(name.bytes, key);
        if (entered) break;
        more = more && json_scan_value(scan);
        json_scan_space(scan);
        more = more && json_scan_take(scan, ',');
    }
    free(name.bytes);
    return entered;
}

static bool enter_item(struct json_scan *scan, const char *index) {
    char *end;
    unsigned long skipped = strtoul(index, &end, 10);
    if (end == index || *end || !json_scan_take(scan, '[')) return false;
    for (; skipped > 0; skipped--) {
        if (!json_scan_value(scan)) return false;
        json_scan_space(scan);
        if (!json_scan_take(scan, ',')) return false;
    }
    json_scan_space(scan);
    return scan->at < scan->length && scan->text[scan->at] != ']';
}

struct text_position json_position(const char *text, const char *pointer, bool of_key) {
    struct json_scan scan = json_scan_start(text, strlen(text));
    json_scan_space(&scan);
    size_t value_at = scan.at;
    char *token;
    while ((token = next_token(&pointer))) {
        size_t key_at = 0;
        bool in_object = scan.at < scan.length && text[scan.at] == '{';
        bool entered = in_object ? enter_member(&scan, token, &key_at) : enter_item(&scan, token);
        free(token);
        if (!entered) break;
        json_scan_space(&scan);
        value_at = of_key && in_object && !*pointer ? key_at : scan.at;
    }
    return text_position_of(text, value_at);
}
