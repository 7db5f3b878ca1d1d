#ifndef ANALYSIS_STEP_PRICE_H
#define ANALYSIS_STEP_PRICE_H

#include "analysis/alpha_beta.h"

/// Prices single steps of the alpha-beta model, and counts in `out` what their links carry.
struct step_price;

/// Both are borrowed; the arrays of `out` are there.
struct step_price *step_price_create(const struct site *site, struct alpha_beta *out);
void step_price_free(struct step_price *step);

/// The price of what was posted together, a step that is done `times` times. False where it passes the end of the clock.
bool step_price(struct step_price *step, const struct posted *posted, uint64_t times, int64_t *ticks);

#endif
