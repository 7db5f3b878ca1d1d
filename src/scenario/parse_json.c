#include <string.h>

#include "scenario/json_scan.h"
#include "scenario/problems.h"

static void refuse(struct problems *problems, struct text_position position, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void refuse(struct problems *problems, struct text_position position, const char *format, ...) {
    va_list args;
    va_start(args, format);
    problems_add_at(problems, position, "", format, args);
    va_end(args);
}

/// How many bytes the UTF-8 character at `text` takes, of at most `left`; 0 when it is none (RFC 3629).
static size_t utf8_character(const unsigned char *text, size_t left) {
    unsigned char lead = text[0];
    if (lead < 0x80) return 1;
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || left < length) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    bool overlong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90);
    bool surrogate = lead == 0xed && text[1] >= 0xa0;
    bool above = lead == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || above ? 0 : length;
}

static bool check_encoding(const char *text, size_t length, struct problems *problems) {
    const struct text_position start = {1, 1};
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        refuse(problems, start, "the file begins with a byte-order mark; save it as UTF-8 without one");
        return false;
    }
    if (length >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))) {
        refuse(problems, start, "the file is UTF-16; save it as UTF-8");
        return false;
    }
    size_t taken;
    for (size_t at = 0; at < length; at += taken) {
        taken = utf8_character((const unsigned char *)text + at, length - at);
        if (!text[at])
            refuse(problems, text_position_of(text, at), "a NUL byte; a scenario is JSON text");
        else if (!taken)
            refuse(problems, text_position_of(text, at), "the byte 0x%02x is not UTF-8; save the file as UTF-8", (unsigned char)text[at]);
        if (!text[at] || !taken) return false;
    }
    return true;
}

static bool check_syntax(const char *text, size_t length, struct problems *problems) {
    struct json_scan scan = json_scan_start(text, length);
    scan.check_keys = true;
    json_scan_space(&scan);
    if (scan.at == length) {
        refuse(problems, (struct text_position){1, 1}, "the file is empty; a scenario is a JSON object");
        return false;
    }
    if (json_scan_value(&scan)) {
        json_scan_space(&scan);
        if (scan.at == length) return true;
        json_scan_fail(&scan, scan.at, "something follows the end of the document");
    }
    refuse(problems, text_position_of(text, scan.error_at), "%s", scan.error);
    return false;
}

json_t *scenario_parse_json(const char *text, size_t length, struct problems *problems) {
    if (!check_encoding(text, length, problems) || !check_syntax(text, length, problems)) return NULL;
    json_error_t error;
    json_t *document = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (!document) refuse(problems, (struct text_position){(uint32_t)error.line, (uint32_t)error.column}, "%s", error.text);
    return document;
}
