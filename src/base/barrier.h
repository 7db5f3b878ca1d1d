#ifndef BASE_BARRIER_H
#define BASE_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// Where the threads of one run meet, many thousand times a second: those that come early spin for some microseconds, then
/// sleep; each spins the less the more often that was in vain, and not at all where there are fewer cores than threads.
struct barrier {
    uint32_t parties;
    bool crowded; ///< more parties than cores
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
    atomic_uint sleeping;
    pthread_mutex_t mutex;
    pthread_cond_t next_round;
};

void barrier_init(struct barrier *barrier, uint32_t parties);
void barrier_free(struct barrier *barrier);

/// Returns when all parties have called it as often as this one; what each did before is then seen by all. `patience` is the caller's
/// own, 0 at first: how long to spin.
void barrier_wait(struct barrier *barrier, uint32_t *patience);

#endif
