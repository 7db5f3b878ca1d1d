#ifndef POOL_WORKER_H
#define POOL_WORKER_H

#include <stdint.h>

#include "pool/pool.h"

/// What goes over a worker's socket: job numbers to it, for each a frame and its bytes back. Both ends are the same
/// program, so numbers go as they lie in memory.
struct pool_frame {
    uint64_t job, size;
};

/// The worker's side: does the jobs that come over `socket` until it is closed. Ends the process.
_Noreturn void worker_main(const struct pool_plan *plan, int socket);

#endif
