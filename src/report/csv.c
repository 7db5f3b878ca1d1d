#include "report/csv.h"

#include <inttypes.h>
#include <string.h>

#include "report/json_writer.h"

void csv_text(const char *text, FILE *out) {
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_seconds(unsigned __int128 ticks, int64_t ticks_per_s, FILE *out) {
    char whole[UINT128_SIZE], decimals[UINT128_SIZE];
    int64_t rest = (int64_t)(ticks % (unsigned __int128)ticks_per_s);
    fprintf(out, ",%s", format_uint128(ticks / (unsigned __int128)ticks_per_s, whole));
    if (rest == 0) return;
    int digits = 0;
    for (int64_t unit = ticks_per_s; unit > 1; unit /= 10) digits++;
    for (; rest % 10 == 0; rest /= 10) digits--;
    snprintf(decimals, sizeof decimals, "%0*" PRId64, digits, rest);
    fprintf(out, ".%s", decimals);
}

void csv_time(int64_t ticks, int64_t ticks_per_s, FILE *out) {
    fprintf(out, "%" PRId64, ticks);
    csv_seconds((unsigned __int128)ticks, ticks_per_s, out);
}

void csv_double(double number, FILE *out) { fprintf(out, ",%.9g", number); }
