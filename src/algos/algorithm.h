#ifndef ALGOS_ALGORITHM_H
#define ALGOS_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/step.h"
#include "base/error.h"
#include "base/field.h"

/// A method for a collective, as pure arithmetic on (rank, step): which messages rank r posts and awaits in step k.
/// A rank's whole state is therefore its step number; the communicator keeps it and resumes the rank when its receives
/// are in. `src/algos/COLLECTIVE_ALGORITHM.c` defines `const struct algorithm COLLECTIVE_ALGORITHM_algorithm`.

/// What each rank holds at the start and must hold at the end; n is the collective's size.
enum collective_kind {
    ALL_REDUCE,     ///< n from everyone; everyone ends with the sum
    REDUCE_SCATTER, ///< n from everyone; rank r ends with the sum of block r
    ALL_GATHER,     ///< rank r has block r of n; everyone ends with all blocks
    BROADCAST,      ///< the root has n; everyone ends with it
    REDUCE,         ///< n from everyone; the root ends with the sum
    SCATTER,        ///< the root has n; rank r ends with block r
    GATHER,         ///< rank r has block r; the root ends with all blocks
    ALL_TO_ALL,     ///< block j of rank i's data becomes block i of rank j's result
    BARRIER,        ///< everyone hears of everyone
    SEND,           ///< `from` has n; `to` ends with it
    COLLECTIVE_KINDS,
};
extern const char *const collective_names[]; ///< "all-reduce", …, NULL

enum schedule { SCHEDULE_STEPS, SCHEDULE_ALL_AT_ONCE };
enum order { ORDER_RANK, ORDER_SHIFT };

struct algorithm;
struct custom_schedule;

/// The arguments of one collective. Options that an algorithm does not use keep their defaults.
struct collective_args {
    enum collective_kind kind;
    uint32_t size; ///< ranks that take part
    int64_t bytes;
    uint32_t root; ///< as a rank of the collective
    uint32_t from, to;
    uint32_t pieces;  ///< chain, pipelined: 0 when not given
    struct span part; ///< what an algorithm works on inside another, or where nobody asks for places; no marks: the whole vector of `bytes`
    const struct algorithm *inner, *outer; ///< hierarchical: all-reduce inside and between nodes; NULL: ring
    const int64_t *matrix;                 ///< all-to-all: bytes from i to j at [i * size + j], borrowed; NULL: blocks of `bytes`
    const struct custom_schedule *custom;  ///< custom: what it does, borrowed; else NULL
    enum schedule schedule;
    enum order order;
    uint32_t dim_count; ///< the shape's dims when all its endpoints take part, in its own order; else 0
    uint32_t dims[6];
    uint32_t group_size; ///< ranks a node; 0: no groups
};

/// The vector that an algorithm works on: the collective's, or a part of it.
static inline struct span args_vector(const struct collective_args *args) {
    return args->part.marks ? args->part : whole_vector(args->bytes);
}

struct algorithm {
    enum collective_kind kind;
    const char *name;           ///< "ring", as in the scenario
    const char *summary;        ///< one line: cost formula and what it is good for
    const char *const *options; ///< scenario keys of its own ("pieces"), NULL at the end; NULL: none
    bool in_network;            ///< needs a tree of switches that all ranks share
    /// Why this cannot run, before the run: false with error_at(err, key, …), naming an algorithm that can.
    /// NULL: it always can.
    bool (*accepts)(const struct collective_args *args, struct error *err);
    /// Independent machines a rank runs side by side (both halves of a bidirectional ring). NULL: one.
    uint32_t (*machines)(const struct collective_args *args);
    /// Global steps, the same for all ranks. 0 for one rank.
    uint64_t (*steps)(const struct collective_args *args, uint32_t machine);
    /// Adds what view->rank does in step k < steps. The view has args->size members.
    void (*step)(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out);
    /// The first step >= k in which view->rank has something to do; `steps` where there is none. It may be early (in a composition
    /// of what cannot tell), never late. For methods in which most ranks are idle most of the time, so that nobody need walk
    /// through p steps of p ranks. NULL: not told, any step may have something.
    uint64_t (*next_step)(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k);
    /// Where in step k each rank sends as many bytes to every other, all with piece 0, and nobody asks for their places: writes the
    /// size - 1 peers in the order in which `rank` sends, and returns the bytes to each. -1: it is another step. NULL: each is.
    int64_t (*exchanges)(const struct collective_args *args, uint32_t rank, uint64_t k, uint32_t *peers);
    /// The first step after k in which anyone may send to another peer, or another number of bytes, than in step k. It may be early. For
    /// methods whose steps are alike, so that nobody need count each of them. NULL: not told.
    uint64_t (*alike_until)(const struct collective_args *args, uint32_t machine, uint64_t k);
    /// An all-reduce of one machine that is two collectives in sequence, the first a reduce-scatter or a reduction to
    /// rank 0, the second its opposite: these. Else NULL.
    const struct algorithm *halves[2];
};

/// All algorithms, sorted by collective and name; NULL at the end.
extern const struct algorithm *const algorithms[];

/// The algorithm of that name, or NULL. "custom" (custom.h) is one of every collective but is not listed.
const struct algorithm *algorithm_find(enum collective_kind kind, const char *name);

/// The one taken where the scenario names none: the ring, direct, binomial or only one.
const struct algorithm *algorithm_default(enum collective_kind kind);

static inline uint32_t algorithm_machines(const struct algorithm *algorithm, const struct collective_args *args) {
    return algorithm->machines ? algorithm->machines(args) : 1;
}

/// next_step, or k where every step may have something to do.
static inline uint64_t algorithm_next_step(const struct algorithm *algorithm, const struct collective_args *args, const struct view *view,
                                           uint32_t machine, uint64_t k) {
    return algorithm->next_step ? algorithm->next_step(args, view, machine, k) : k;
}

#endif
