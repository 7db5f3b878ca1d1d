#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "algos/communicator.h"
#include "base/error.h"
#include "base/field.h"
#include "base/memory.h"
#include "engine/sim.h"
#include "scenario/assertion.h"
#include "scenario/output.h"
#include "topo/topology.h"

/// A scenario file as structs (scenario.md). Every struct begins with `given`, as field.h says.

struct override_config {
    uint64_t given;
    const char *from, *to;
    int64_t bandwidth_bytes_per_s, latency_ticks;
};

/// Both: simulated, and the closed form beside it.
enum run_model { MODEL_EVENT, MODEL_ALPHA_BETA, MODEL_BOTH };

struct network_config {
    uint64_t given;
    struct variant topology;
    int64_t chunk_bytes; ///< 0: whole
    int switching, injection, model;
    struct records overrides; ///< struct override_config
};

struct costs_config {
    uint64_t given;
    int64_t send_overhead_ticks, launch_overhead_ticks, reduce_bytes_per_s, switch_reduce_bytes_per_s;
};

struct scenario {
    uint64_t given;
    const char *schema, *name;
    int64_t seed;
    int tick;              ///< 0: fs, 1: ps
    bool tick_chosen;      ///< not by the user, but because the workload lasts long
    struct variant system; ///< no type: none
    struct network_config network;
    struct costs_config costs;
    int64_t ranks; ///< 0: all endpoints
    struct variant mapping;
    struct variant workload;
    struct records assert_texts; ///< const char *
    struct output_config output;

    struct assertion *assertions; ///< what assert_texts say, as many
    int64_t ticks_per_s;
    const char *path;      ///< the file it came from ("-": stdin; NULL: the command line)
    const char *directory; ///< what relative paths in it start from
    struct arena arena;    ///< owns all of the above
};

/// Where and what is wrong in a file. Sorted by position.
struct problem {
    uint32_t line, column; ///< 1-based; 0 where there is no text (command line)
    char pointer[256];     ///< JSON pointer
    char text[768];
};

struct problems {
    size_t count, capacity;
    struct problem *items;
    size_t omitted; ///< beyond the first hundred, only counted
};
void problems_free(struct problems *problems);
/// One line each: `FILE:LINE:COLUMN: /json/pointer: text`.
void problems_print(const struct problems *problems, const char *file, FILE *out);

/// Reads a whole file ("-": stdin), of any encoding, with a NUL at the end; NULL on error. The caller frees it.
char *read_text(const char *path, size_t *length, struct error *err);

/// Sets "network.chunk=64KiB" in a JSON object: creates missing objects on the way; the value is JSON where it parses
/// as such, else a string; list elements by number ("workload.messages.0.size=1MB").
bool scenario_set(json_t *document, const char *assignment, struct error *err);

/// Parses text as JSON: a syntax error (duplicate keys too) is the only problem then. NULL on error; the caller decrefs.
json_t *scenario_parse_json(const char *text, size_t length, struct problems *problems);

/// Reads a document into structs. `text` is where positions are looked up (NULL: none). All problems are collected;
/// NULL if there are any. `path` is borrowed. Where the file has no "tick" and the workload lasts long, it is 1ps.
struct scenario *scenario_read(json_t *document, const char *text, const char *path, struct problems *problems);
void scenario_free(struct scenario *scenario);

/// About how long its workload lasts at least, in nanoseconds; 0: not known.
int64_t scenario_span_ns(const struct scenario *scenario);

/// The document with every default filled in, in the order of the tables; parses back to the same scenario.
json_t *scenario_resolved(const struct scenario *scenario);

#endif
