#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/// A file that is too large to be rendered in memory first: it is written beside its place and renamed when all of it is
/// on the disk, so that an old file stays whole when this fails. What is no regular file (/dev/stdout, a pipe) is written
/// in place.
struct output_file {
    FILE *stream;
    char *path;
    char *beside; ///< NULL: written in place
};

/// ERROR_OUTPUT says why not; then there is nothing to close.
bool output_file_open(struct output_file *file, const char *path, struct error *err);

/// Ends it. Any failure to write since output_file_open is seen here; then nothing is left of the new file.
bool output_file_close(struct output_file *file, struct error *err);

#endif
