#ifndef LLM_HARDWARE_H
#define LLM_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/field.h"
#include "llm/dtype.h"

/// What one device can do at best. Rates are of dense matrices, in one direction.
struct hardware {
    const char *name, *source;
    int64_t mflops[DTYPES]; ///< millions of operations per second; 0: not supported
    int64_t memory_bytes_per_s, memory_bytes;
};

/// All presets; the last has no name.
extern const struct hardware hardware_presets[];

/// "hardware" in the scenario: a preset's name, or an object that changes some of a preset's figures.
struct hardware_config {
    uint64_t given;
    const char *base;
    int64_t tflops[DTYPES]; ///< in millionths of TFLOP/s
    int64_t memory_bytes_per_s, memory_bytes;
};
extern const struct field hardware_fields[];

/// The device that is meant; false with error_at(err, "hardware", …).
bool hardware_resolve(const struct hardware_config *config, struct hardware *hardware, struct error *err);

#endif
