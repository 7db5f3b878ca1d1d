#include "record/result.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/quotient.h"

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
    free(result->loads);
    quotient_free(result->quotient);
    *result = (struct run_result){0};
}

static double utilization(const struct run_result *result, int64_t busy_ticks) {
    return result->makespan_ticks > 0 ? (double)busy_ticks / (double)result->makespan_ticks : 0;
}

double load_utilization(const struct run_result *result, const struct carried_load *load) { return utilization(result, load->busy_ticks); }

double link_utilization(const struct run_result *result, const struct link_result *link) { return utilization(result, link->busy_ticks); }

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
    for (uint32_t i = 0; result->bytes_sent && i < original_ranks(result); i++) {
        int64_t sent = result->bytes_sent[original_rank(result, i)];
        if (i == 0 || sent < *least) *least = sent;
        if (sent > *most) *most = sent;
    }
}

// ---- links

uint32_t load_of_link(const struct run_result *result, uint32_t link) {
    return result->quotient ? quotient_link_of(result->quotient, link) : link;
}

uint32_t link_of_load(const struct run_result *result, uint32_t load) {
    return result->quotient ? result->quotient->originals[load] : load;
}

uint32_t links_of_load(const struct run_result *result, uint32_t load) {
    return result->quotient ? quotient_images_of(result->quotient, load) : 1;
}

struct link_result link_result_of(const struct run_result *result, uint32_t link) {
    const struct link_info *info = &result->graph->links[link];
    const struct carried_load *load = &result->loads[load_of_link(result, link)];
    return (struct link_result){
        .from = info->from,
        .to = info->to,
        .port = info->from_port,
        .bandwidth_bytes_per_s = info->bandwidth_bytes_per_s,
        .bytes = load->bytes,
        .chunks = load->chunks,
        .busy_ticks = load->busy_ticks,
        .peak_queue_bytes = load->peak_queue_bytes,
    };
}

uint32_t original_ranks(const struct run_result *result) { return result->quotient ? result->quotient->endpoint_count : result->ranks; }

uint32_t original_rank(const struct run_result *result, uint32_t number) {
    return result->quotient ? result->quotient->nodes[number].node : number; // ranks are placed in order
}

uint32_t links_used(const struct run_result *result) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < result->load_count; i++) used += result->loads[i].chunks > 0 ? links_of_load(result, i) : 0;
    return used;
}

static int by_busy(const void *left, const void *right) {
    const struct carried_load *a = *(const struct carried_load *const *)left, *b = *(const struct carried_load *const *)right;
    return a->busy_ticks > b->busy_ticks ? -1 : a->busy_ticks < b->busy_ticks;
}

/// The busy time that the last of the `count` hottest links has, and how many of them have just this. Loads are few.
static int64_t least_of_hottest(const struct run_result *result, uint32_t count, uint32_t *equal) {
    const struct carried_load **sorted = allocate(result->load_count * sizeof *sorted);
    uint32_t used = 0;
    for (uint32_t i = 0; i < result->load_count; i++)
        if (result->loads[i].chunks > 0) sorted[used++] = &result->loads[i];
    qsort(sorted, used, sizeof *sorted, by_busy);
    int64_t least = used > 0 ? sorted[0]->busy_ticks : 0;
    uint64_t found = 0, above = 0;
    for (uint32_t i = 0; i < used && found < count; i++) {
        if (sorted[i]->busy_ticks < least) above = found;
        least = sorted[i]->busy_ticks;
        found += links_of_load(result, (uint32_t)(sorted[i] - result->loads));
    }
    *equal = (uint32_t)((found < count ? found : count) - above);
    free(sorted);
    return least;
}

/// A link among the hottest so far.
struct hot_link {
    int64_t busy_ticks;
    uint32_t link;
};

static int by_heat(const void *left, const void *right) {
    const struct hot_link *a = left, *b = right;
    if (a->busy_ticks != b->busy_ticks) return a->busy_ticks > b->busy_ticks ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

/// Lets item `at` of a heap, the least hot at its root, go down to where it belongs.
static void sink(struct hot_link *heap, uint32_t count, uint32_t at) {
    const struct hot_link moving = heap[at];
    for (uint64_t child = 2 * (uint64_t)at + 1; child < count; child = 2 * (uint64_t)at + 1) {
        if (child + 1 < count && by_heat(&heap[child], &heap[child + 1]) < 0) child++;
        if (by_heat(&moving, &heap[child]) > 0) break;
        heap[at] = heap[child];
        at = (uint32_t)child;
    }
    heap[at] = moving;
}

uint32_t hottest_links(const struct run_result *result, uint32_t count, uint32_t *out) {
    uint32_t found = 0, used = links_used(result), equal = UINT32_MAX;
    int64_t least = result->quotient ? least_of_hottest(result, count, &equal) : 0;
    if (count > used) count = used;
    struct hot_link *hot = allocate(count * sizeof *hot);
    bool known = result->quotient; // how busy the last of them is: looking may end early
    for (uint32_t l = 0; l < result->link_count && count > 0 && !(known && found == count); l++) {
        const struct carried_load *load = &result->loads[load_of_link(result, l)];
        const struct hot_link link = {load->busy_ticks, l};
        if (load->chunks == 0 || link.busy_ticks < least || (known && link.busy_ticks == least && equal == 0)) continue;
        equal -= known && link.busy_ticks == least;
        if (found < count) {
            hot[found++] = link;
            for (uint32_t i = found / 2; found == count && i-- > 0;) sink(hot, found, i);
        } else if (by_heat(&link, &hot[0]) < 0) {
            hot[0] = link;
            sink(hot, found, 0);
        }
    }
    qsort(hot, found, sizeof *hot, by_heat);
    for (uint32_t i = 0; i < found; i++) out[i] = hot[i].link;
    free(hot);
    return found;
}
