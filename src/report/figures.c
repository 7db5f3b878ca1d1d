#include "report/figures.h"

#include <math.h>

bool collective_ended(const struct collective_result *collective) {
    for (uint32_t r = 0; r < collective->args.size; r++)
        if (collective->rank_end_ticks[r] < 0) return false;
    return true;
}

double collective_efficiency(const struct collective_result *collective) {
    int64_t ticks = collective->end_ticks - collective->start_ticks;
    if (ticks <= 0 || !collective->bound.kind || !collective_ended(collective)) return (double)NAN;
    return (double)collective->bound.ticks / (double)ticks;
}
