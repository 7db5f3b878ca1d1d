#ifndef SCENARIO_SIMULATE_H
#define SCENARIO_SIMULATE_H

#include "record/observers.h"
#include "record/result.h"
#include "scenario/scenario.h"

/// A scenario made ready: the network built, ranks placed, the workload checked.
struct experiment {
    const struct scenario *scenario;
    struct topology *topology;
    uint32_t ranks;
    uint32_t *place; ///< rank -> endpoint
};

/// Which engine takes the events; all give the same digest.
enum engine_choice { ENGINE_AUTO, ENGINE_HEAP, ENGINE_WINDOW };
extern const char *const engine_names[]; ///< "auto", "heap", "window", NULL

/// Whether collectives are proved as they run: auto gives up beyond PROOF_AUTO_MESSAGES.
enum proof_choice { PROOF_CHOICE_AUTO, PROOF_CHOICE_ON, PROOF_CHOICE_OFF };
extern const char *const proof_choice_names[]; ///< "auto", "on", "off", NULL

enum { PROOF_AUTO_MESSAGES = 1000000 };

enum { SHORTCUTS_ALL = (1 << SHORTCUT_COUNT) - 1 };

struct run_limits {
    enum engine_choice engine;
    enum proof_choice proof;
    uint32_t shortcuts;  ///< 1 << SHORTCUT_… of those that may be taken; the result is the same
    uint32_t threads;    ///< 0: as many as pay
    int64_t until_ticks; ///< 0: none, likewise below
    uint64_t max_events, max_memory;
    /// Asked every now and then; false stops the run (`interrupted`). NULL: never asked.
    bool (*progress)(void *context, int64_t now_ticks, uint64_t chunk_hops);
    /// Hears before it begins that a run is longer than anybody waits for, and why no shortcut helps. NULL: nobody does.
    void (*note)(void *context, const char *text);
    void *context;
};

/// Builds and checks everything that needs no simulation; problems carry pointers into the scenario.
/// `text` as in scenario_read. False if there are problems; `out` is empty then.
bool experiment_prepare(const struct scenario *scenario, const char *text, struct experiment *out, struct problems *problems);
void experiment_free(struct experiment *experiment);

/// Runs it, watched by `observers` (NULL or none: nobody, at no cost). Under the model alpha-beta nothing is simulated: all ranks of a
/// collective end when its last step does, a message counts as one chunk, a link is busy for what its bytes of each step take, queues stay
/// empty, the digest is 0; late starts and costs of software are left out. False only on an internal error or lack of memory; what the
/// simulation ended by is result->status and result->error, with what was done so far.
bool experiment_run(const struct experiment *experiment, const struct run_limits *limits, struct observers *observers,
                    struct run_result *result, struct error *err);

/// How its network is simulated, without limits.
struct sim_config experiment_sim_config(const struct experiment *experiment);

/// The alpha-beta total, whatever the scenario's model. ERROR_INPUT for a workload that has no steps, ERROR_SIMULATION
/// for an overflow; false without an error when the progress of the limits, of which nothing else counts, stops it.
bool experiment_alpha_beta(const struct experiment *experiment, const struct run_limits *limits, int64_t *ticks, struct error *err);

#endif
