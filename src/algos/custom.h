#ifndef ALGOS_CUSTOM_H
#define ALGOS_CUSTOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algos/algorithm.h"
#include "base/expression.h"

/// A schedule that a user wrote: which messages rank r of p posts and awaits in step k, as expressions (docs/custom-schedules.md).

/// The names in a schedule's expressions. What does not depend on a rank may use CUSTOM_SHAPE_NAMES of them.
enum custom_variable { CUSTOM_P, CUSTOM_ROOT, CUSTOM_R, CUSTOM_K, CUSTOM_M, CUSTOM_I, CUSTOM_VARIABLES };
enum { CUSTOM_SHAPE_NAMES = CUSTOM_R };

/// One side of a message; no peer: none.
struct custom_transfer {
    const struct expression *peer;
    struct expression_range blocks; ///< past the last one it goes on with block 0
    const struct expression *piece; ///< NULL: 0
    bool reduce;                    ///< of a receive
};

/// What is done in some steps, by some ranks, once or for several values of i; a NULL expression restricts nothing.
struct custom_rule {
    struct expression_range steps;
    const struct expression *rank; ///< the only one
    const struct expression *when; ///< where not 0
    struct expression_range each;  ///< the values of i; NULL: only 0
    struct custom_transfer send, receive;
};

struct custom_schedule {
    const char *file, *name;
    enum collective_kind kind;
    const struct expression *blocks, *steps;
    const struct expression *machines;    ///< NULL: one
    const struct expression *requirement; ///< on p; NULL: none
    const char *requirement_text;
    bool checked; ///< whether what it would do is proved before the run
    size_t rule_count;
    const struct custom_rule *rules;
};

/// The algorithm that does what args->custom says; NULL for a collective that has none.
const struct algorithm *custom_algorithm(enum collective_kind kind);

/// What rank `r` does in step k of a machine, as the algorithm has it, but with all that is wrong in it found: a rank or
/// block out of range, an expression without a value. False with an error that names rule, rank and step.
bool custom_step(const struct collective_args *args, uint32_t r, uint32_t machine, uint64_t k, struct step *out, struct error *err);

#endif
