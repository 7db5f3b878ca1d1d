// Quantities are read digit by digit: a decimal number is a row of digits and a power of ten, a unit multiplies the digits
// by a small integer and shifts the power, and only the digits left of the point become an integer. Nothing is rounded on the way.
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/// One unit is factor * 10^exponent of the base unit (bytes, bytes per second, seconds).
struct unit {
    const char *name;
    uint32_t binary_steps; ///< the factor is 1024^binary_steps, or 125 for bits
    bool bits;             ///< 1 bit = 125 * 10^-3 bytes
    int exponent;
};

struct quantity {
    const char *noun;  ///< "size"
    const char *whole; ///< "bytes": of what the value must be a whole number; NULL: it is rounded up
    const struct unit *units;
};

static const struct unit byte_units[] = {
    {"B", 0, false, 0},   {"KB", 0, false, 3},  {"MB", 0, false, 6},  {"GB", 0, false, 9},  {"TB", 0, false, 12},
    {"KiB", 1, false, 0}, {"MiB", 2, false, 0}, {"GiB", 3, false, 0}, {"TiB", 4, false, 0}, {NULL, 0, false, 0},
};
static const struct unit rate_units[] = {
    {"B/s", 0, false, 0},   {"KB/s", 0, false, 3},  {"MB/s", 0, false, 6},  {"GB/s", 0, false, 9},  {"TB/s", 0, false, 12},
    {"KiB/s", 1, false, 0}, {"MiB/s", 2, false, 0}, {"GiB/s", 3, false, 0}, {"TiB/s", 4, false, 0}, {"bps", 0, true, 0},
    {"Kbps", 0, true, 3},   {"Mbps", 0, true, 6},   {"Gbps", 0, true, 9},   {"Tbps", 0, true, 12},  {"b/s", 0, true, 0},
    {"Kb/s", 0, true, 3},   {"Mb/s", 0, true, 6},   {"Gb/s", 0, true, 9},   {"Tb/s", 0, true, 12},  {NULL, 0, false, 0},
};
static const struct unit time_units[] = {
    {"fs", 0, false, -15}, {"ps", 0, false, -12}, {"ns", 0, false, -9}, {"us", 0, false, -6},
    {"ms", 0, false, -3},  {"s", 0, false, 0},    {NULL, 0, false, 0},
};

static const struct quantity sizes = {"size", "bytes", byte_units};
static const struct quantity rates = {"rate", "bytes per second", rate_units};
static const struct quantity times = {"time", NULL, time_units};

/// Longest text that is read; the digits of a number of that length times 1024^4 fit as well.
enum { LONGEST_TEXT = 100, MOST_DIGITS = LONGEST_TEXT + 16, LARGEST_EXPONENT = 100000 };

/// digits[0 .. count-1], most significant first, times 10^exponent.
struct decimal {
    uint8_t digits[MOST_DIGITS];
    int count;
    int exponent;
};

static const char *unit_list(const struct quantity *quantity, char out[static 160]) {
    size_t used = 0;
    for (const struct unit *u = quantity->units; u->name; u++)
        used += (size_t)snprintf(out + used, 160 - used, "%s%s", used ? ", " : "", u->name);
    return out;
}

/// Reads digits, of which those after the point (if `after_point`) lower the exponent; returns how many there were.
static int scan_digits(const char **text, struct decimal *number, bool after_point) {
    int seen = 0;
    for (; isdigit((unsigned char)**text); (*text)++, seen++) {
        if (after_point) number->exponent--;
        if (!number->count && **text == '0') continue; // leading zeros carry nothing
        number->digits[number->count++] = (uint8_t)(**text - '0');
    }
    return seen;
}

static void scan_exponent(const char **text, struct decimal *number) {
    const char *at = *text;
    if (*at != 'e' && *at != 'E') return;
    at++;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    if (!isdigit((unsigned char)*at)) return; // an 'e' that begins the unit
    int exponent = 0;
    for (; isdigit((unsigned char)*at); at++)
        if (exponent < LARGEST_EXPONENT) exponent = exponent * 10 + (*at - '0');
    number->exponent += negative ? -exponent : exponent;
    *text = at;
}

static bool scan_number(const char **text, struct decimal *number) {
    *number = (struct decimal){.count = 0};
    if (!scan_digits(text, number, false)) return false;
    if (**text == '.') {
        (*text)++;
        if (!scan_digits(text, number, true)) return false;
    }
    scan_exponent(text, number);
    return true;
}

static void multiply(struct decimal *number, uint32_t factor) {
    uint32_t carry = 0;
    for (int i = number->count; i-- > 0;) {
        uint32_t product = number->digits[i] * factor + carry;
        number->digits[i] = (uint8_t)(product % 10);
        carry = product / 10;
    }
    uint8_t front[8];
    int added = 0;
    for (; carry; carry /= 10) front[added++] = (uint8_t)(carry % 10);
    memmove(number->digits + added, number->digits, (size_t)number->count);
    for (int i = 0; i < added; i++) number->digits[i] = front[added - 1 - i];
    number->count += added;
}

static void multiply_unit(struct decimal *number, const struct unit *unit) {
    number->exponent += unit->exponent;
    for (uint32_t i = 0; i < unit->binary_steps; i++) multiply(number, 1024);
    if (unit->bits) multiply(number, 125), number->exponent -= 3;
}

/// The integer part, and whether anything is right of the point. False above 2^63-1.
static bool integer_part(const struct decimal *number, int64_t *value, bool *remainder) {
    int whole = number->count + number->exponent; // digits left of the point
    *value = 0;
    *remainder = false;
    for (int i = whole < 0 ? 0 : whole; i < number->count; i++) *remainder = *remainder || number->digits[i];
    if (whole < 0) *remainder = number->count > 0;
    if (!number->count || whole <= 0) return true;
    if (whole > 19) return false;
    uint64_t sum = 0;
    for (int i = 0; i < whole; i++) sum = sum * 10 + (i < number->count ? number->digits[i] : 0);
    if (sum > INT64_MAX) return false;
    *value = (int64_t)sum;
    return true;
}

static const struct unit *find_unit(const struct quantity *quantity, const char *name) {
    for (const struct unit *u = quantity->units; u->name; u++)
        if (!strcmp(u->name, name)) return u;
    return NULL;
}

/// Whether the unit is what was written but for letter case (unless `exactly`) or an ending left out: "64K", "45GB" for a rate.
static bool unit_resembles(const char *name, const char *written, bool exactly) {
    if (!strncmp(written, "\xc2\xb5", 2) || !strncmp(written, "\xce\xbc", 2)) return *name == 'u' && !strcmp(name + 1, written + 2); // µs
    size_t length = strlen(written);
    if (exactly ? strncmp(name, written, length) : strncasecmp(name, written, length)) return false;
    const char *left_out = name + length;
    return !*left_out || !strcmp(left_out, "B") || !strcmp(left_out, "/s") || !strcmp(left_out, "B/s");
}

/// ` (did you mean "64MB"?)`, or nothing.
static const char *unit_suggestion(const struct quantity *quantity, const char *text, const char *written, char out[static 512]) {
    size_t used = 0;
    out[0] = '\0';
    for (int exactly = 1; exactly >= 0 && !used; exactly--)
        for (const struct unit *u = quantity->units; u->name; u++)
            if (unit_resembles(u->name, written, exactly))
                used += (size_t)snprintf(out + used, 512 - used, "%s\"%.*s%s\"", used ? " or " : " (did you mean ", (int)(written - text),
                                         text, u->name);
    if (used) snprintf(out + used, 512 - used, "?)");
    return out;
}

static bool refuse_unit(const struct quantity *quantity, const char *text, const char *written, struct error *err) {
    char shown[TEXT_QUOTE_SIZE], unit[TEXT_QUOTE_SIZE], list[160], suggestion[512];
    unit_list(quantity, list);
    if (!*written)
        return error_set(err, ERROR_INPUT, "%s has no unit; a %s is a number and one of %s", text_quote(text, shown), quantity->noun, list);
    return error_set(err, ERROR_INPUT, "%s has the unknown unit %s; a %s is a number and one of %s%s", text_quote(text, shown),
                     text_quote(written, unit), quantity->noun, list, unit_suggestion(quantity, text, written, suggestion));
}

/// Refuses what is wrong before any number is read.
static bool check_text(const struct quantity *quantity, const char *text, struct error *err) {
    char shown[TEXT_QUOTE_SIZE], list[160];
    if (!*text)
        return error_set(err, ERROR_INPUT, "the %s is empty; it is a number and one of %s", quantity->noun, unit_list(quantity, list));
    text_quote(text, shown);
    if (strlen(text) > LONGEST_TEXT) return error_set(err, ERROR_INPUT, "%s is too long for a %s", shown, quantity->noun);
    for (const char *c = text; *c; c++)
        if (isspace((unsigned char)*c)) return error_set(err, ERROR_INPUT, "%s holds white space; a %s has none", shown, quantity->noun);
    if (*text == '-') return error_set(err, ERROR_INPUT, "%s is negative; a %s is not", shown, quantity->noun);
    return true;
}

static bool parse_quantity(const struct quantity *quantity, const char *text, int shift, int64_t *out, struct error *err) {
    if (!check_text(quantity, text, err)) return false;
    char shown[TEXT_QUOTE_SIZE], list[160];
    text_quote(text, shown);
    struct decimal number;
    const char *rest = text;
    if (!scan_number(&rest, &number))
        return error_set(err, ERROR_INPUT, "%s does not begin with a decimal number; a %s is a number and one of %s", shown, quantity->noun,
                         unit_list(quantity, list));
    const struct unit *unit = find_unit(quantity, rest);
    if (!unit) return refuse_unit(quantity, text, rest, err);
    multiply_unit(&number, unit);
    number.exponent += shift;
    int64_t value;
    bool remainder;
    bool fits = integer_part(&number, &value, &remainder);
    if (fits && remainder && quantity->whole) return error_set(err, ERROR_INPUT, "%s is not a whole number of %s", shown, quantity->whole);
    if (fits && remainder) fits = value < INT64_MAX, value += fits;
    if (!fits && quantity == &times)
        return error_set(err, ERROR_INPUT, "%s is too long: the clock ends at 2^63-1 ticks%s", shown,
                         shift == 15 ? " of 1fs, 9223s; set \"tick\": \"1ps\"" : "");
    if (!fits) return error_set(err, ERROR_INPUT, "%s is too large: the most is 2^63-1 %s", shown, quantity->whole);
    *out = value;
    return true;
}

bool parse_bytes(const char *text, int64_t *bytes, struct error *err) { return parse_quantity(&sizes, text, 0, bytes, err); }

bool parse_rate(const char *text, int64_t *bytes_per_s, struct error *err) {
    int64_t value;
    if (!parse_quantity(&rates, text, 0, &value, err)) return false;
    char shown[TEXT_QUOTE_SIZE];
    if (!value) return error_set(err, ERROR_INPUT, "%s is zero; a rate is at least 1B/s", text_quote(text, shown));
    *bytes_per_s = value;
    return true;
}

const char *bytes_unit(size_t index) { return byte_units[index].name; }
const char *rate_unit(size_t index) { return rate_units[index].name; }
const char *time_unit(size_t index) { return time_units[index].name; }

static int power_of_ten(int64_t value) {
    int power = 0;
    for (; value >= 10; value /= 10) power++;
    return power;
}

bool parse_time(const char *text, int64_t ticks_per_s, int64_t *ticks, struct error *err) {
    return parse_quantity(&times, text, power_of_ten(ticks_per_s), ticks, err);
}

/// value / one with its exact decimal fraction and the unit; false when the fraction does not end within 15 digits or
/// the value is a fraction of one only.
static bool print_exact(int64_t value, int64_t one, const char *unit, char out[static 64]) {
    int64_t rest = value % one;
    if (value / one == 0 && value) return false;
    int used = snprintf(out, 64, "%lld%s", (long long)(value / one), rest ? "." : "");
    for (int digits = 0; rest; digits++) {
        if (digits == 15) return false;
        __int128 tenfold = (__int128)rest * 10;
        out[used++] = (char)('0' + (int)(tenfold / one));
        rest = (int64_t)(tenfold % one);
    }
    snprintf(out + used, (size_t)(64 - used), "%s", unit);
    return true;
}

static int64_t power(int64_t base, int exponent) {
    int64_t value = 1;
    while (exponent-- > 0) value *= base;
    return value;
}

/// The shortest form; of equally short ones that in the largest decimal unit.
static char *format_exact(const struct unit *units, int shift, int64_t value, char *out) {
    char best[64] = "", form[64];
    for (const struct unit *u = units; u->name; u++) {
        if (u->bits || u->exponent + shift < 0) continue;
        int64_t one = power(1024, (int)u->binary_steps) * power(10, u->exponent + shift);
        if (!print_exact(value, one, u->name, form)) continue;
        size_t limit = strlen(best) + !u->binary_steps;
        if (!*best || strlen(form) < limit) memcpy(best, form, sizeof best);
    }
    memcpy(out, best, QUANTITY_SIZE);
    return out;
}

char *format_bytes_exact(int64_t bytes, char *out) { return format_exact(byte_units, 0, bytes, out); }

char *format_rate_exact(int64_t bytes_per_s, char *out) { return format_exact(rate_units, 0, bytes_per_s, out); }

char *format_time_exact(int64_t ticks, int64_t ticks_per_s, char *out) {
    return format_exact(time_units, power_of_ten(ticks_per_s), ticks, out);
}

/// Four significant digits in the largest of `count` units, each 1000 of the one before, that leaves at least 1.
static char *format_rounded(double value, const char *const *units, int count, char *out) {
    if (isnan(value)) return strcpy(out, "-");
    int unit = 0;
    while (unit < count - 1 && fabs(value) >= 999.95) value /= 1000, unit++;
    snprintf(out, QUANTITY_SIZE, fabs(value) >= 9999.5 ? "%.0f %s" : "%.4g %s", value, units[unit]);
    return out;
}

char *format_bytes(double bytes, char *out) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    return format_rounded(bytes, units, 5, out);
}

char *format_rate(double bytes_per_s, char *out) {
    static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
    return format_rounded(bytes_per_s, units, 5, out);
}

char *format_time(int64_t ticks, int64_t ticks_per_s, char *out) {
    static const char *const units[] = {"fs", "ps", "ns", "us", "ms", "s"};
    if (!ticks) return strcpy(out, "0 s");
    int smallest = 5 - power_of_ten(ticks_per_s) / 3;
    return format_rounded((double)ticks, units + smallest, 6 - smallest, out);
}

bool transfer_ticks(int64_t bytes, int64_t bytes_per_s, int64_t ticks_per_s, int64_t *ticks) {
    __int128 exact = ((__int128)bytes * ticks_per_s + bytes_per_s - 1) / bytes_per_s;
    if (exact > INT64_MAX) return false;
    *ticks = (int64_t)exact;
    return true;
}
