#include "systems/system.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

char *system_text(const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t size = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    char *text = allocate(size);
    vsnprintf(text, size, format, again);
    va_end(again);
    va_end(args);
    return text;
}
