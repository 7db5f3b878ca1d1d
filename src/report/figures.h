#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "record/result.h"

/// Derived figures that several reports show.

/// Whether all its ranks are done; a stopped run leaves collectives that are not.
bool collective_ended(const struct collective_result *collective);

/// lower bound / time; NaN where the time is 0, there is no bound, or it has not ended.
double collective_efficiency(const struct collective_result *collective);

#endif
