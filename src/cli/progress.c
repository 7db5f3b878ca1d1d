#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/units.h"

enum { UPDATES_PER_S = 5 };

bool progress_wanted(const struct options *options) { return !options->quiet && !options->no_progress && isatty(STDERR_FILENO); }

static double seconds_between(const struct timespec *from, const struct timespec *to) {
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

static void stopping_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

void progress_start(struct progress *progress, const struct options *options, int64_t ticks_per_s) {
    *progress = (struct progress){.wanted = progress_wanted(options), .ticks_per_s = ticks_per_s};
    clock_gettime(CLOCK_MONOTONIC, &progress->start);
    progress->last = progress->start;
    sigset_t stopping;
    stopping_signals(&stopping);
    sigprocmask(SIG_BLOCK, &stopping, &progress->before);
}

static void show(struct progress *progress, int64_t now_ticks, uint64_t chunk_hops) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_between(&progress->last, &now) < 1.0 / UPDATES_PER_S) return;
    progress->last = now;
    progress->drawn = true;
    char simulated[QUANTITY_SIZE];
    double millions = 1e-6 * (double)chunk_hops, rate = millions / seconds_between(&progress->start, &now);
    fprintf(stderr, "\r\033[Ksimulated %s, %.1f M chunk-hops, %.1f M/s", format_time(now_ticks, progress->ticks_per_s, simulated), millions,
            rate);
    if (now_ticks > 0 && now_ticks < progress->span_ticks) {
        double part = (double)now_ticks / (double)progress->span_ticks;
        fprintf(stderr, ", %.1f %%, about %.0f s left", 100 * part, seconds_between(&progress->start, &now) * (1 - part) / part);
    }
    fflush(stderr);
}

bool progress_update(void *context, int64_t now_ticks, uint64_t chunk_hops) {
    struct progress *progress = context;
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    if (sigismember(&pending, SIGTERM)) progress->signal = SIGTERM;
    if (sigismember(&pending, SIGINT)) progress->signal = SIGINT;
    if (progress->wanted) show(progress, now_ticks, chunk_hops);
    return progress->signal == 0;
}

void progress_note(void *progress, const char *text) {
    (void)progress;
    fprintf(stderr, "weft: note: %s\n", text);
}

void progress_stop(struct progress *progress) {
    if (progress->drawn) fputs("\r\033[K", stderr);
    sigset_t stopping, pending;
    stopping_signals(&stopping);
    sigemptyset(&pending);
    while (sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM))) {
        int taken;
        sigwait(&stopping, &taken);
        if (!progress->signal) progress->signal = taken;
    }
    sigprocmask(SIG_SETMASK, &progress->before, NULL);
}
