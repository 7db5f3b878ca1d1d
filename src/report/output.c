#include "report/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "report/file.h"

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

bool output_save(const char *path, const char *bytes, size_t size, struct error *err) {
    struct output_file file;
    if (!output_file_open(&file, path, err)) return false;
    fwrite(bytes, 1, size, file.stream); // a failure is seen when it is closed
    return output_file_close(&file, err);
}
