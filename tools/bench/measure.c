#include "measure.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_child(const struct row *row, const char *engine, bool store_and_forward, int out) {
    struct measurement result;
    struct error err = {0};
    bool ok = row_run(row, engine, store_and_forward, &result, &err);
    if (!ok) fprintf(stderr, "%s, %s engine: %s\n", row->name, engine, err.text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result.peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    ok = ok && write(out, &result, sizeof result) == (ssize_t)sizeof result;
    _exit(ok ? 0 : 1);
}

static bool run_once(const struct row *row, const char *engine, bool store_and_forward, struct measurement *out) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) run_child(row, engine, store_and_forward, ends[1]);
    close(ends[1]);
    bool ok = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && ok && status == 0;
}

bool measure(const struct row *row, const char *engine, bool store_and_forward, uint32_t repeats, struct measured *out) {
    int64_t slowest = 0, all = 0;
    *out = (struct measured){0};
    while (out->runs < repeats ? all < INT64_C(1000000000) * ENOUGH_S : out->runs < MOST_RUNS && all < INT64_C(1000000) * LEAST_MS) {
        struct measurement result;
        if (!run_once(row, engine, store_and_forward, &result)) return false;
        all += result.setup_ns + result.run_ns;
        if (result.run_ns > slowest) slowest = result.run_ns;
        if (out->runs++ == 0 || result.run_ns < out->best.run_ns) out->best = result;
    }
    out->spread = out->best.run_ns ? (double)(slowest - out->best.run_ns) / (double)out->best.run_ns : 0;
    return out->runs > 0;
}
