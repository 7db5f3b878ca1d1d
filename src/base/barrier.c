#include "base/barrier.h"

#include <stdbool.h>
#include <unistd.h>

enum { SPINS = 1000 }; ///< some tens of microseconds: about what it costs to sleep and be woken

void barrier_init(struct barrier *barrier, uint32_t parties) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    barrier->parties = parties;
    barrier->spins = cores >= (long)parties ? SPINS : 0;
    atomic_init(&barrier->arrived, 0);
    atomic_init(&barrier->round, 0);
    atomic_init(&barrier->sleeping, 0);
    pthread_mutex_init(&barrier->mutex, NULL);
    pthread_cond_init(&barrier->next_round, NULL);
}

void barrier_free(struct barrier *barrier) {
    pthread_mutex_destroy(&barrier->mutex);
    pthread_cond_destroy(&barrier->next_round);
}

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/// Sequentially consistent: either the last to arrive sees that this thread sleeps, or this thread sees the new round.
static void sleep_through(struct barrier *barrier, unsigned round) {
    pthread_mutex_lock(&barrier->mutex);
    atomic_fetch_add(&barrier->sleeping, 1);
    while (atomic_load(&barrier->round) == round) pthread_cond_wait(&barrier->next_round, &barrier->mutex);
    atomic_fetch_sub(&barrier->sleeping, 1);
    pthread_mutex_unlock(&barrier->mutex);
}

void barrier_wait(struct barrier *barrier) {
    unsigned round = atomic_load_explicit(&barrier->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == barrier->parties) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store(&barrier->round, round + 1);
        if (atomic_load(&barrier->sleeping) == 0) return;
        pthread_mutex_lock(&barrier->mutex);
        pthread_cond_broadcast(&barrier->next_round);
        pthread_mutex_unlock(&barrier->mutex);
        return;
    }
    for (uint32_t i = 0; i < barrier->spins; i++) {
        if (atomic_load_explicit(&barrier->round, memory_order_acquire) != round) return;
        relax();
    }
    sleep_through(barrier, round);
}
