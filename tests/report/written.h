#ifndef TESTS_REPORT_WRITTEN_H
#define TESTS_REPORT_WRITTEN_H

#include "golden/simulation.h"
#include "report/outputs.h"

/// Runs whose "output" is written to a folder of the test's own.

struct written {
    struct simulation simulation;
    struct error error; ///< of writing
    char *summary;      ///< for people
    char directory[64];
};

/// A new empty folder.
void make_directory(char *out, size_t out_size);
void remove_directory(const char *directory);

/// Runs the scenario that `format` makes, its paths starting from `directory` (NULL: a new one). Single quotes stand for
/// double ones. Failures to write are in `error`.
void run_and_write(struct written *out, const char *directory, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// The same scenario in a new folder, by the engine of choice.
void run_and_write_again(struct written *out, const struct written *first, enum engine_choice engine);

/// Removes the folder too.
void written_free(struct written *written);

/// A file's text; the caller frees it. NULL where there is none.
char *file_text(const char *directory, const char *name);

/// How many files a folder has.
size_t count_files(const char *directory);

#endif
