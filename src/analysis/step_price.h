#ifndef ANALYSIS_STEP_PRICE_H
#define ANALYSIS_STEP_PRICE_H

#include "analysis/alpha_beta.h"

/// Prices single steps of the alpha-beta model, and counts in `out` what their links carry.
struct step_price;

/// All are borrowed; the arrays of `out` are there.
struct step_price *step_price_create(const struct site *site, const struct alpha_beta_watch *watch, struct alpha_beta *out);
void step_price_free(struct step_price *step);

/// The price of what was posted together, a step that is done `times` times. False where it passes the end of the clock, or the watch
/// stops it.
bool step_price(struct step_price *step, const struct posted *posted, uint64_t times, int64_t *ticks);

/// Whether the watch has stopped it.
bool step_price_stopped(const struct step_price *step);

#endif
