#include "record/result.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

const char *const shortcut_names[] = {"solo", "replay", "symmetry", NULL};
const char *const proof_state_names[] = {"off", "proved", "left", NULL};
const char *const run_status_names[] = {"complete", "stalled", "overflow", "limit", "interrupted", NULL};

void run_result_free(struct run_result *result) {
    for (size_t i = 0; i < result->collective_count; i++) free(result->collectives[i].rank_end_ticks);
    for (uint32_t v = 0; result->node_names && v < result->endpoints + result->switches; v++) free(result->node_names[v]);
    free(result->node_names);
    figures_free(&result->figures);
    for (size_t i = 0; i < result->assertion_count; i++) free(result->assertions[i].text);
    free(result->assertions);
    free(result->collectives);
    free(result->place);
    free(result->bytes_sent);
    free(result->links);
    *result = (struct run_result){0};
}

double link_utilization(const struct run_result *result, const struct link_result *link) {
    return result->makespan_ticks > 0 ? (double)link->busy_ticks / (double)result->makespan_ticks : 0;
}

double collective_algbw(const struct run_result *result, const struct collective_result *collective) {
    int64_t ticks = collective->end_ticks - collective->start_ticks;
    if (ticks <= 0) return NAN;
    return (double)collective->args.bytes * collective->repeat * ((double)result->ticks_per_s / (double)ticks);
}

double collective_busbw(const struct run_result *result, const struct collective_result *collective) {
    double p = collective->args.size, factor = 1;
    switch (collective->args.kind) {
    case ALL_REDUCE: factor = 2 * (p - 1) / p; break;
    case REDUCE_SCATTER:
    case ALL_GATHER:
    case ALL_TO_ALL:
        if (!collective->args.matrix) factor = (p - 1) / p; // a matrix' size has no part that stays
        break;
    default: break;
    }
    return collective_algbw(result, collective) * factor;
}

void bytes_sent_range(const struct run_result *result, int64_t *least, int64_t *most) {
    *least = *most = 0;
    for (uint32_t r = 0; result->bytes_sent && r < result->ranks; r++) {
        if (r == 0 || result->bytes_sent[r] < *least) *least = result->bytes_sent[r];
        if (result->bytes_sent[r] > *most) *most = result->bytes_sent[r];
    }
}

uint32_t hottest_links(const struct run_result *result, uint32_t count, uint32_t *out) {
    uint32_t found = 0;
    for (uint32_t l = 0; l < result->link_count; l++) {
        int64_t busy = result->links[l].busy_ticks;
        if (result->links[l].chunks == 0 || count == 0) continue;
        if (found == count && busy <= result->links[out[found - 1]].busy_ticks) continue;
        uint32_t at = found < count ? found++ : found - 1;
        for (; at > 0 && busy > result->links[out[at - 1]].busy_ticks; at--) out[at] = out[at - 1];
        out[at] = l;
    }
    return found;
}
