#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scenario/scenario.h"

/// Beyond this it is no text that a person or program meant ("/dev/zero").
#define LONGEST_FILE ((size_t)1 << 30)

static bool is_directory(FILE *file) {
    struct stat status;
    return !fstat(fileno(file), &status) && S_ISDIR(status.st_mode);
}

static char *read_all(FILE *file, size_t *length) {
    char *text = NULL;
    size_t capacity = 0, count;
    *length = 0;
    do {
        text = array_reserve(text, &capacity, *length + (1 << 16) + 1, 1);
        count = fread(text + *length, 1, capacity - *length - 1, file);
        *length += count;
    } while (count && *length <= LONGEST_FILE);
    text[*length] = '\0';
    return text;
}

char *read_text(const char *path, size_t *length, struct error *err) {
    bool standard_input = !strcmp(path, "-");
    FILE *file = standard_input ? stdin : fopen(path, "rb");
    const char *name = standard_input ? "standard input" : path;
    if (!file) {
        error_set(err, ERROR_INPUT, "cannot open %s: %s", name, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    if (is_directory(file)) {
        error_set(err, ERROR_INPUT, "cannot read %s: it is a directory", name);
    } else {
        text = read_all(file, length);
        bool failed = ferror(file) != 0;
        if (failed) error_set(err, ERROR_INPUT, "cannot read %s: %s", name, strerror(errno));
        if (*length > LONGEST_FILE) error_set(err, ERROR_INPUT, "cannot read %s: it is longer than 1 GiB", name);
        if (failed || *length > LONGEST_FILE) free(text), text = NULL;
    }
    if (!standard_input) fclose(file);
    return text;
}
