#include "base/barrier.h"

#include <unistd.h>

enum { LEAST_PATIENCE = 32, MOST_PATIENCE = 8192 }; ///< pauses of 10 to 50 ns: most costs more than to sleep and be woken

void barrier_init(struct barrier *barrier, uint32_t parties) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    barrier->parties = parties;
    barrier->crowded = cores < (long)parties;
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

static bool spin(const struct barrier *barrier, unsigned round, uint32_t *patience) {
    if (*patience < LEAST_PATIENCE) *patience = LEAST_PATIENCE;
    for (uint32_t i = 0; i < *patience; i++) {
        if (atomic_load_explicit(&barrier->round, memory_order_acquire) != round) {
            if (*patience < MOST_PATIENCE) *patience *= 2;
            return true;
        }
        relax();
    }
    *patience /= 2;
    return false;
}

void barrier_wait(struct barrier *barrier, uint32_t *patience) {
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
    if (barrier->crowded || !spin(barrier, round, patience)) sleep_through(barrier, round);
}
