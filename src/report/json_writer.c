#include "report/json_writer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_quoted(const char *text, FILE *out) {
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", out);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void begin_value(struct json_writer *json, const char *key) {
    bool folded = json->depth > json->folded_depth;
    if (json->depth > 0) {
        if (!json->fresh) fputs(folded ? ", " : ",", json->out);
        if (!folded) fprintf(json->out, "\n%*s", 2 * json->depth, "");
    }
    json->fresh = false;
    if (!key) return;
    write_quoted(key, json->out);
    fputs(": ", json->out);
}

void put_open(struct json_writer *json, const char *key, char bracket) {
    begin_value(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->fresh = true;
}

void put_close(struct json_writer *json, char bracket) {
    bool folded = json->depth > json->folded_depth, empty = json->fresh;
    json->depth--;
    if (!folded && !empty) fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    json->fresh = false;
    if (json->depth == 0) fputc('\n', json->out);
}

void put_text(struct json_writer *json, const char *key, const char *text) {
    if (!text) {
        put_null(json, key);
        return;
    }
    begin_value(json, key);
    write_quoted(text, json->out);
}

void put_verbatim(struct json_writer *json, const char *key, const char *text) {
    begin_value(json, key);
    fputs(text, json->out);
}

void put_null(struct json_writer *json, const char *key) { put_verbatim(json, key, "null"); }

void put_int(struct json_writer *json, const char *key, int64_t number) {
    char text[UINT128_SIZE];
    snprintf(text, sizeof text, "%lld", (long long)number);
    put_verbatim(json, key, text);
}

void put_uint(struct json_writer *json, const char *key, unsigned __int128 number) {
    char text[UINT128_SIZE];
    put_verbatim(json, key, format_uint128(number, text));
}

void put_double(struct json_writer *json, const char *key, double number) {
    char text[DOUBLE_SIZE];
    put_verbatim(json, key, isfinite(number) ? format_double(number, text) : "null");
}

/// How many decimals of "%e" it takes to read the number back. One with at most DBL_DIG digits is found among these, with zeros behind it.
static int shortest_decimals(double number, char *out) {
    int decimals = DBL_DIG - 1;
    snprintf(out, DOUBLE_SIZE, "%.*e", decimals, number);
    if (strtod(out, NULL) == number) {
        const char *last = strchr(out, 'e') - 1;
        while (decimals > 0 && *last-- == '0') decimals--;
        return decimals;
    }
    do snprintf(out, DOUBLE_SIZE, "%.*e", ++decimals, number);
    while (decimals < DBL_DECIMAL_DIG - 1 && strtod(out, NULL) != number);
    return decimals;
}

char *format_double(double number, char *out) {
    enum { PLAIN_FROM = -5, PLAIN_TO = 15 };
    int digits = shortest_decimals(number, out);
    int exponent = atoi(strchr(out, 'e') + 1);
    int decimals = digits > exponent ? digits - exponent : 0;
    bool plain = exponent >= PLAIN_FROM && exponent <= PLAIN_TO;
    snprintf(out, DOUBLE_SIZE, plain ? "%.*f" : "%.*e", plain ? decimals : digits, number);
    return out;
}

char *format_uint128(unsigned __int128 number, char *out) {
    char digits[UINT128_SIZE];
    size_t count = 0;
    do digits[count++] = (char)('0' + (int)(number % 10));
    while (number /= 10);
    for (size_t i = 0; i < count; i++) out[i] = digits[count - 1 - i];
    out[count] = '\0';
    return out;
}
