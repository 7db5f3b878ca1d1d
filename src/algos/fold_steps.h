#ifndef ALGOS_FOLD_STEPS_H
#define ALGOS_FOLD_STEPS_H

#include "algos/log2.h"
#include "algos/step.h"

/// Methods for a power of two on any number of ranks: with q the largest power of two not above p and p - q extra ranks,
/// each even r < 2(p-q) gives what it has to r+1, rests, and is given the outcome in the last step. The others take the
/// numbers 0 .. q-1. Without extra ranks neither step exists.
/// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH (2005), section 4.5.
struct fold {
    uint32_t power;  ///< q
    uint32_t extra;  ///< p - q
    uint32_t number; ///< among the q; without meaning for one that rests
    bool rests;
};

static inline struct fold fold_of(const struct view *view) {
    uint32_t power = UINT32_C(1) << log2_floor(view->size), extra = view->size - power, r = view->rank;
    bool paired = r < 2 * extra;
    return (struct fold){.power = power, .extra = extra, .number = paired ? r / 2 : r - extra, .rests = paired && r % 2 == 0};
}

/// The member of the view that has a number.
static inline uint32_t fold_member(const struct fold *fold, uint32_t number) {
    return number < fold->extra ? 2 * number + 1 : number + fold->extra;
}

/// The first member whose data is with `number` after the fold; those of numbers a .. b-1 are members
/// fold_first(a) .. fold_first(b)-1.
static inline uint32_t fold_first(const struct fold *fold, uint32_t number) {
    return number < fold->extra ? 2 * number : number + fold->extra;
}

/// How many steps `core` steps among the q become.
static inline uint64_t fold_steps(uint32_t size, uint64_t core) { return core + ((size & (size - 1)) ? 2 : 0); }

/// What is done among the q, and what the pairs exchange before and after. Both of a pair name the same spans.
struct fold_plan {
    uint64_t core; ///< steps among the q
    struct span given, returned;
    enum combine combine; ///< of what is given
};

static inline void fold_give(const struct view *view, const struct fold_plan *plan, struct step *out) {
    step_phase(out, "fold", 0, 1);
    if (view->rank % 2 == 0)
        step_send(out, view, view->rank + 1, plan->given);
    else
        step_receive(out, view, view->rank - 1, plan->given, plan->combine);
}

static inline void fold_return(const struct view *view, const struct fold_plan *plan, struct step *out) {
    step_phase(out, "unfold", 0, 1);
    if (view->rank % 2 == 1)
        step_send(out, view, view->rank - 1, plan->returned);
    else
        step_receive(out, view, view->rank + 1, plan->returned, COMBINE_COPY);
}

/// True where this rank takes part in step k among the q; *k is then counted among those. Otherwise does what there is
/// to do of the fold or unfold.
static inline bool fold_enter(const struct fold *fold, const struct view *view, const struct fold_plan *plan, uint64_t *k,
                              struct step *out) {
    if (fold->extra == 0) return true;
    bool paired = view->rank < 2 * fold->extra;
    if (*k == 0) {
        if (paired) fold_give(view, plan, out);
        return false;
    }
    *k -= 1;
    if (*k < plan->core) return !fold->rests;
    if (paired) fold_return(view, plan, out);
    return false;
}

#endif
