#ifndef ANALYSIS_ALPHA_BETA_H
#define ANALYSIS_ALPHA_BETA_H

#include "analysis/lockstep.h"
#include "analysis/site.h"
#include "base/error.h"

/// The alpha-beta model: each global step of what runs side by side is priced in closed form,
///     step = max over its messages of (sum of latencies + max over links of the path of
///            ceil(all bytes on that link in this step * ticks_per_s / bandwidth)),
/// and the total is the sum over steps. Nothing is simulated: no chunks, no queues, no ranks that run ahead, come late or
/// pay for software. What switches reduce counts as one message over their tree: its longest way up and its longest way
/// down, its bytes once on each link. Items of a sequence add up, repetitions multiply, the items of `parallel` go in lock-step.

struct link_load {
    uint64_t bytes, messages;
    uint64_t busy_ticks; ///< summed over the steps: all bytes of a step over the rate
};

struct alpha_beta {
    int64_t ticks;
    size_t collective_count; ///< as the outcomes of a run
    struct collective_times *collectives;
    uint64_t messages, hops;
    struct link_load *links; ///< per link of the graph
    int64_t *bytes_sent;     ///< per rank
};
void alpha_beta_free(struct alpha_beta *priced);

/// False with ERROR_INPUT for what has no steps: a list of messages, a plan that is not known (NULL).
bool alpha_beta_accepts(const struct plan *plan, struct error *err);

/// Who is asked, every now and then, whether to go on, with the time and the hops of messages that have been priced. NULL: nobody.
struct alpha_beta_watch {
    bool (*go_on)(void *context, int64_t now_ticks, uint64_t hops);
    void *context;
};

/// Prices a plan that was accepted. ERROR_SIMULATION when the total passes the end of the clock; false without an error when the watch
/// says so. O(messages x hops), of steps that are known to be alike of one.
bool alpha_beta_price(const struct site *site, const struct plan *plan, const struct alpha_beta_watch *watch, struct alpha_beta *out,
                      struct error *err);

#endif
