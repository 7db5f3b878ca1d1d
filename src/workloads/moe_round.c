// The times of exchanges in rounds: layers that are left out took what those before took.
#include <string.h>

#include "workloads/moe.h"

static size_t places_of(const struct moe_job *job) { return (size_t)job->setup.ranks * job->setup.micro_batches; }

/// Roles that are no exchange are never entered: 0 then.
void moe_round_state(void *context, int64_t now, struct word_list *words) {
    const struct moe_job *job = context;
    for (size_t i = 0; i < places_of(job); i++) {
        words_add(words, (uint64_t)job->exchanges[i].awaited);
        words_add_ticks(words, now - job->exchanges[i].start);
    }
    for (size_t i = 0; i < places_of(job) * MOE_ROLES; i++) words_add_ticks(words, job->entered[i] > 0 ? now - job->entered[i] : 0);
}

void moe_round_marked(void *context) {
    struct moe_job *job = context;
    memcpy(job->marked_times, job->times, sizeof job->times);
    memcpy(job->marked_whole, job->whole, sizeof job->whole);
}

static void repeat_times(struct moe_times *times, const struct moe_times *marked, int64_t more) {
    times->sum += more * (times->sum - marked->sum);
    times->count += more * (times->count - marked->count);
}

void moe_round_skipped(void *context, uint64_t times, int64_t ticks) {
    struct moe_job *job = context;
    int64_t later = (int64_t)times * ticks;
    for (int role = 0; role < MOE_ROLES; role++) repeat_times(&job->times[role], &job->marked_times[role], (int64_t)times);
    for (int way = 0; way < 2; way++) repeat_times(&job->whole[way], &job->marked_whole[way], (int64_t)times);
    for (size_t i = 0; i < places_of(job); i++) job->exchanges[i].start += later;
    for (size_t i = 0; i < places_of(job) * MOE_ROLES; i++) job->entered[i] += job->entered[i] > 0 ? later : 0;
}
