#ifndef SYSTEMS_SYSTEM_H
#define SYSTEMS_SYSTEM_H

#include "base/field.h"

/// A machine that a scenario may call by its name: "system": {"type": "dgx-h100", "nodes": 4} stands for a network and
/// costs, of which the scenario's own keys override any. `src/systems/NAME.c` defines `const struct system_type NAME_system`.
struct system_type {
    struct variant_type variant; ///< must be the first member
    /// What it stands for, as the JSON text of an object with "network" and "costs". The caller frees it.
    char *(*expand)(const void *config);
    const char *const *sources; ///< one line for each figure, NULL at the end
};

extern const struct family system_family;

/// What a rank's software takes for each send, on top of the wire.
#define SEND_OVERHEAD "1.4us"
#define SEND_SOURCE                                                                                                             \
    "send_overhead: the start-up of a step over NVLink in lecture P5, 2 us, less the 0.6 us that NCCL's tuning model gives to " \
    "the hardware (assumed for every GPU)"

#endif
