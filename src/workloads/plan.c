#include "workloads/plan.h"

size_t plan_collectives(const struct plan *plan) {
    if (plan->kind == PLAN_COLLECTIVE) return 1;
    if (plan->kind == PLAN_MESSAGES) return 0;
    size_t once = 0;
    for (size_t i = 0; i < plan->count; i++) once += plan_collectives(plan->items[i]);
    return once * plan->repeat;
}
