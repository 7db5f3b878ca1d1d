#ifndef BASE_BARRIER_H
#define BASE_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/// Where the threads of one run meet, many thousand times a second: those that come early spin for some microseconds, then
/// sleep; where there are fewer cores than threads they sleep at once.
struct barrier {
    uint32_t parties, spins;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
    atomic_uint sleeping;
    pthread_mutex_t mutex;
    pthread_cond_t next_round;
};

void barrier_init(struct barrier *barrier, uint32_t parties);
void barrier_free(struct barrier *barrier);

/// Returns when all parties have called it as often as this one; what each did before is then seen by all.
void barrier_wait(struct barrier *barrier);

#endif
