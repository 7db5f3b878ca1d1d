#include "report/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

bool output_write(int descriptor, const char *name, const char *bytes, size_t size, struct error *err) {
    while (size > 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return error_set(err, ERROR_OUTPUT, "cannot write to %s: %s", name, strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/// mkstemp makes a file for its owner alone; a report is for whom the user's umask allows.
static void allow_readers(int descriptor) {
    mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
}

bool output_save(const char *path, const char *bytes, size_t size, struct error *err) {
    size_t length = strlen(path) + sizeof ".XXXXXX";
    char *beside = allocate(length);
    snprintf(beside, length, "%s.XXXXXX", path);
    int descriptor = mkstemp(beside);
    bool good = descriptor >= 0;
    if (!good) error_set(err, ERROR_OUTPUT, "cannot write to %s: %s", path, strerror(errno));
    if (good) {
        allow_readers(descriptor);
        good = output_write(descriptor, path, bytes, size, err);
        if (close(descriptor) != 0 && good) good = error_set(err, ERROR_OUTPUT, "cannot write to %s: %s", path, strerror(errno));
        if (good && rename(beside, path) != 0) good = error_set(err, ERROR_OUTPUT, "cannot write to %s: %s", path, strerror(errno));
        if (!good) unlink(beside);
    }
    free(beside);
    return good;
}
