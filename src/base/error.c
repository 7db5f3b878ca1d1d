#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void keep_first(struct error *err, enum error_kind kind, const char *where, const char *format, va_list args) {
    if (err->kind != ERROR_NONE) return;
    err->kind = kind;
    snprintf(err->where, sizeof err->where, "%s", where);
    vsnprintf(err->text, sizeof err->text, format, args);
}

bool error_set(struct error *err, enum error_kind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep_first(err, kind, "", format, args);
    va_end(args);
    return false;
}

bool error_at(struct error *err, const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep_first(err, ERROR_INPUT, where, format, args);
    va_end(args);
    return false;
}

void fatal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("weft: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    _Exit(ERROR_INTERNAL);
}
