#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "cli/options.h"

/// The line on stderr while a simulation runs, and its interruption. SIGINT and SIGTERM are blocked for that time and
/// looked for at every call: no handler, and nothing is cut in the middle.
struct progress {
    bool wanted, drawn; ///< drawn: there is a line to erase
    int64_t ticks_per_s;
    int64_t span_ticks; ///< how far it will go at least; 0: not known. To be set after progress_start
    struct timespec start, last;
    int signal; ///< that asked to stop; 0: none
    sigset_t before;
};

/// Whether progress lines are wanted: stderr is a terminal and no option forbids them.
bool progress_wanted(const struct options *options);

void progress_start(struct progress *progress, const struct options *options, int64_t ticks_per_s);

/// As run_limits.progress: false when a signal asked to stop.
bool progress_update(void *progress, int64_t now_ticks, uint64_t chunk_hops);

/// As run_limits.note: a line on stderr.
void progress_note(void *progress, const char *text);

/// Erases the line and lets signals through again.
void progress_stop(struct progress *progress);

#endif
