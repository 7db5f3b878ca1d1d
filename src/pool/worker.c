#include "pool/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKER_DONE = 0, WORKER_FAILED = 1 };

/// False at the end of the stream.
static bool read_all(int descriptor, void *bytes, size_t size) {
    for (char *at = bytes; size > 0;) {
        ssize_t count = read(descriptor, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

static bool write_all(int descriptor, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t count = write(descriptor, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

static bool do_job(const struct pool_plan *plan, int socket, uint64_t job) {
    char *data = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&data, &size);
    if (!out) return false;
    plan->work(plan->context, (size_t)job, out);
    if (fclose(out) != 0) return false;
    struct pool_frame frame = {job, size};
    bool sent = write_all(socket, &frame, sizeof frame) && write_all(socket, data, size);
    free(data);
    return sent;
}

/// SIGINT and SIGTERM are often sent to the whole process group: the pool decides what becomes of its workers.
static void leave_signals_to_pool(void) {
    sigset_t none;
    sigemptyset(&none);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void worker_main(const struct pool_plan *plan, int socket) {
    uint64_t job;
    leave_signals_to_pool();
    while (read_all(socket, &job, sizeof job))
        if (!do_job(plan, socket, job)) _exit(WORKER_FAILED);
    _exit(WORKER_DONE);
}
