#include "scenario/shortcuts.h"

#include <stdio.h>

#include "analysis/traffic.h"
#include "workloads/workload.h"

enum { MOST_VAIN_ROUNDS = 32 };

static const char the_heap_engine[] = "the heap engine takes all events in their order; --engine auto need not",
                  watched_run[] = "outputs record the run as it goes; without \"output\" nothing does",
                  limited_run[] = "a limit may stop the run on its way; without --until, --max-events and --max-memory none does",
                  other_injection[] = "injection is not fifo; \"injection\": \"fifo\" is";

static bool is_local(const struct experiment *experiment) {
    const struct variant *workload = &experiment->scenario->workload;
    const struct workload_type *type = workload_type(workload);
    return type->local && type->local(workload->config);
}

/// How many times in a row what is repeated most is done.
static uint64_t repetitions_of(const struct experiment *experiment, bool *overlaps) {
    const struct variant *workload = &experiment->scenario->workload;
    const struct workload_type *type = workload_type(workload);
    *overlaps = false;
    return type->repeats ? type->repeats(workload->config, overlaps) : 1;
}

/// Not where recorders want to hear of everything, and limits to be met on the way; nor, where the window engine could be taken, for a
/// few repetitions.
const char *replay_obstacle(const struct experiment *experiment, const struct run_limits *limits, bool watched,
                            struct replay_rules *rules) {
    const struct router *router = &experiment->topology->router;
    if (limits->until_ticks || limits->max_events) return limited_run;
    if (watched) return watched_run;
    if (limits->engine == ENGINE_WINDOW) return "the window engine does not replay; --engine auto may";
    if (!workload_type(&experiment->scenario->workload)->repeats) return "this workload repeats no collective";
    bool local = limits->engine == ENGINE_AUTO && is_local(experiment), overlaps;
    uint64_t times = repetitions_of(experiment, &overlaps);
    *rules = (struct replay_rules){.message_period = router->message_period,
                                   .may_give_up = local,
                                   .vain_rounds = times / 16 < MOST_VAIN_ROUNDS ? times / 16 : MOST_VAIN_ROUNDS};
    if (router->message_period == 0) return "routes of later messages do not come round to those of the first";
    if (times < (local ? FEWEST_REPETITIONS : 2)) return local ? "nothing is done more than three times" : "nothing is done twice";
    return overlaps && experiment_has_costs(experiment) ? "collectives that overlap share the processors of ranks" : NULL;
}

const char *folding_obstacle(const struct experiment *experiment, const struct run_limits *limits, bool watched) {
    if (experiment->scenario->network.injection != (int)INJECT_FIFO) return other_injection;
    if (limits->until_ticks || limits->max_events || limits->max_memory) return limited_run;
    if (limits->proof == PROOF_CHOICE_ON) return "the proof follows every contribution; --proof off does not";
    if (watched) return watched_run;
    return limits->engine == ENGINE_HEAP ? the_heap_engine : NULL;
}

const char *solo_obstacle(const struct experiment *experiment, const struct run_limits *limits, const struct run_result *result) {
    if (limits->engine == ENGINE_HEAP) return the_heap_engine;
    if (experiment->scenario->network.injection != (int)INJECT_FIFO) return other_injection;
    if (!is_local(experiment)) return "ranks wait for each other at one instant";
    return result->savings[SHORTCUT_REPLAY].uses > 0 ? "replay was taken, with the heap engine"
                                                     : "no message of four chunks or more had several links to itself";
}

static struct traffic traffic_of(const struct experiment *experiment, const struct plan *plan) {
    const struct site site = experiment_site(experiment);
    return traffic_estimate(&site, plan, experiment->scenario->network.chunk_bytes);
}

// ---- replay or symmetry

/// Nanoseconds, about, as measured (docs/speed.md): of a message and a chunk-hop that are simulated, with all ranks and with
/// representatives only, and of a delivery that is counted.
enum { FULL_MESSAGE = 150, FULL_HOP = 150, FOLDED_MESSAGE = 100, FOLDED_HOP = 50, COUNTED_DELIVERY = 5 };

/// Repetitions that are simulated before and after those that are left out.
enum { ROUNDS_IN_FULL = 4 };

bool replay_costs_less(const struct experiment *experiment, const struct plan *plan, const struct symmetry *symmetry,
                       const struct replay_rules *rules) {
    bool overlaps;
    double times = (double)repetitions_of(experiment, &overlaps);
    struct traffic all = traffic_of(experiment, plan);
    double images = (double)translations_order(&symmetry->quotient->group);
    double round = (all.messages * FULL_MESSAGE + all.chunk_hops * FULL_HOP) / times, counted = all.messages * COUNTED_DELIVERY;
    double folded = (all.messages * FOLDED_MESSAGE + all.chunk_hops * FOLDED_HOP) / images + (symmetry->counts_digest ? counted : 0);
    return all.messages / times <= ROUND_DELIVERIES_MOST && ROUNDS_IN_FULL * round + counted < folded &&
           (double)rules->vain_rounds * round < folded;
}

// ---- what would take too long

/// "about 17 minutes"
static const char *lasting(double seconds, char out[static 32]) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{31557600, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
    size_t u = 0;
    while (u < 3 && seconds < 2 * units[u].seconds) u++;
    snprintf(out, 32, "%.0f %s", seconds / units[u].seconds, units[u].name);
    return out;
}

void note_endless_run(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits, bool watched,
                      const char *why_no_symmetry) {
    const double endless = 1e10, hops_per_s = 1e7;
    struct replay_rules rules;
    bool overlaps, replays = limits->shortcuts & 1u << SHORTCUT_REPLAY && !replay_obstacle(experiment, limits, watched, &rules);
    if (!limits->note || !plan || limits->until_ticks || limits->max_events) return;
    double hops = traffic_of(experiment, plan).chunk_hops / (double)(replays ? repetitions_of(experiment, &overlaps) : 1);
    if (hops < endless) return;
    char text[512], time[32];
    int power = 0;
    double digits = hops;
    for (; digits >= 10; power++) digits /= 10;
    snprintf(text, sizeof text,
             "about %.1f x 10^%d chunk-hops lie ahead, %s at ten million a second; symmetry saves none of them, since %s", digits, power,
             lasting(hops / hops_per_s, time), why_no_symmetry);
    limits->note(limits->context, text);
}
