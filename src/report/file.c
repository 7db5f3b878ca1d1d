#include "report/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static bool refuse(const char *path, struct error *err) {
    return error_set(err, ERROR_OUTPUT, "cannot write to %s: %s", path, strerror(errno));
}

/// mkstemp makes a file for its owner alone; the new file is for those of the old one, or whom the umask allows.
static void allow_readers(int descriptor, const struct stat *old) {
    mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, old ? old->st_mode & 0777 : 0666 & ~mask);
}

static FILE *open_beside(struct output_file *file, const struct stat *old) {
    size_t size = strlen(file->path) + sizeof ".XXXXXX";
    file->beside = allocate(size);
    snprintf(file->beside, size, "%s.XXXXXX", file->path);
    int descriptor = mkstemp(file->beside);
    if (descriptor < 0) return NULL;
    allow_readers(descriptor, old);
    FILE *stream = fdopen(descriptor, "w");
    if (stream) return stream;
    close(descriptor);
    unlink(file->beside);
    return NULL;
}

static void forget(struct output_file *file) {
    free(file->path);
    free(file->beside);
    *file = (struct output_file){0};
}

bool output_file_open(struct output_file *file, const char *path, struct error *err) {
    struct stat old;
    bool exists = stat(path, &old) == 0;
    *file = (struct output_file){.path = strcpy(allocate(strlen(path) + 1), path)};
    file->stream = exists && !S_ISREG(old.st_mode) ? fopen(path, "w") : open_beside(file, exists ? &old : NULL);
    if (file->stream) return true;
    refuse(path, err);
    forget(file);
    return false;
}

bool output_file_close(struct output_file *file, struct error *err) {
    bool good = true;
    errno = 0;
    if (fflush(file->stream) != 0 || (file->beside && fsync(fileno(file->stream)) != 0)) good = refuse(file->path, err);
    if (good && ferror(file->stream)) good = error_set(err, ERROR_OUTPUT, "cannot write to %s: a write failed", file->path);
    if (fclose(file->stream) != 0 && good) good = refuse(file->path, err);
    if (file->beside) {
        if (good && rename(file->beside, file->path) != 0) good = refuse(file->path, err);
        if (!good) unlink(file->beside);
    }
    forget(file);
    return good;
}
