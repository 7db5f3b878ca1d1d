#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/options.h"
#include "scenario/simulate.h"

/// Where a command's scenario comes from: a file or nothing, and what the command line changes in it.
struct source {
    const char *path; ///< "-": stdin; NULL: the command line alone
    char *text;       ///< NULL without a file
    size_t length;
    struct texts assignments;
    char *changes;    ///< what of that the title of the file's scenario tells; NULL: nothing
    const char *hint; ///< printed below its problems; NULL: none
};

/// A scenario that was read and made ready.
struct loaded {
    struct scenario *scenario;
    struct experiment experiment;
};

/// Reads the file (operand 0 where there is one) and expands the options. With `needs_workload` false a run without a
/// file may leave the workload out. False after a message on stderr: exit code 2.
bool source_open(const struct options *options, const char *path, bool needs_workload, struct source *out);
void source_close(struct source *source);

/// Reads and checks everything, with `more` assignments after the source's own (NULL: none). All problems go to
/// `messages`; false if there are any.
bool source_load(const struct source *source, const struct texts *more, FILE *messages, struct loaded *out);
void loaded_free(struct loaded *loaded);

#endif
