#include "cli/crossover.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

/// The size that an axis has at a value; false: none.
static bool size_at(const struct vary_axis *axis, size_t value, int64_t *bytes) {
    struct error ignored = {0};
    return parse_bytes(axis->values[value].text, bytes, &ignored);
}

static bool rises(const struct vary_axis *axis) {
    int64_t before = -1, bytes;
    for (size_t v = 0; v < axis->count; before = bytes, v++)
        if (!size_at(axis, v, &bytes) || bytes <= before) return false;
    return axis->count > 1;
}

bool crossover_axes(const struct vary *vary, struct crossover_study *study) {
    if (vary->count != 2) return false;
    study->size_axis = strcmp(vary->axes[0].key, "workload.size") != 0;
    study->algorithm_axis = 1 - study->size_axis;
    const struct vary_axis *sizes = &vary->axes[study->size_axis], *names = &vary->axes[study->algorithm_axis];
    study->sizes = sizes->count;
    study->algorithms = names->count;
    return !strcmp(sizes->key, "workload.size") && !strcmp(names->key, "workload.algorithm") && names->count > 1 && rises(sizes);
}

static void add_gap(struct crossover_study *gaps, const struct crossover *gap) {
    if (gap->before == gap->after) return;
    ARRAY_RESERVE(gaps->items, gaps->capacity, gaps->count + 1);
    gaps->items[gaps->count++] = *gap;
}

/// The neighbouring sizes of which each has a fastest algorithm, another one.
static void find_gaps(const struct vary *vary, struct crossover_study *study) {
    for (size_t s = 0; s + 1 < study->sizes; s++) {
        int before = crossover_winner(study, s), after = crossover_winner(study, s + 1);
        struct crossover gap = {.before = (size_t)before, .after = (size_t)after};
        bool both = before != CROSSOVER_NONE && after != CROSSOVER_NONE;
        if (both && size_at(&vary->axes[study->size_axis], s, &gap.low_bytes) &&
            size_at(&vary->axes[study->size_axis], s + 1, &gap.high_bytes))
            add_gap(study, &gap);
    }
}

static int64_t middle(const struct crossover *gap) { return gap->low_bytes + (gap->high_bytes - gap->low_bytes) / 2; }

static bool is_wide(const struct crossover *gap) {
    int64_t width = gap->high_bytes - gap->low_bytes;
    return width > 1 && width > gap->low_bytes / 100;
}

/// The same comparison at the middle of every wide gap; false: no gap is wide.
static bool make_middles(const struct vary *vary, const struct crossover_study *study, struct vary *out) {
    *out = (struct vary){vary->count, allocate_zeroed(vary->count, sizeof *out->axes)};
    for (size_t a = 0; a < vary->count; a++) {
        const char *key = vary->axes[a].key;
        out->axes[a].key = strcpy(allocate(strlen(key) + 1), key);
    }
    for (size_t v = 0; v < study->algorithms; v++)
        vary_add_value(&out->axes[study->algorithm_axis], vary->axes[study->algorithm_axis].values[v].text);
    struct vary_axis *sizes = &out->axes[study->size_axis];
    for (size_t i = 0; i < study->count; i++) {
        char text[QUANTITY_SIZE];
        if (is_wide(&study->items[i])) vary_add_value(sizes, format_bytes_exact(middle(&study->items[i]), text));
    }
    return sizes->count > 0;
}

/// Puts the halves with different ends in place of every wide gap; `middles` are the runs, by gap. A gap whose middle did
/// not run is given up.
static void halve(struct crossover_study *study, const struct crossover_study *middles) {
    struct crossover_study halves = *study;
    halves.items = NULL;
    halves.count = halves.capacity = 0;
    size_t wide = 0;
    for (size_t i = 0; i < study->count; i++) {
        const struct crossover *gap = &study->items[i];
        if (!is_wide(gap)) {
            add_gap(&halves, gap);
            continue;
        }
        int winner = crossover_winner(middles, wide++);
        if (winner == CROSSOVER_NONE) continue;
        add_gap(&halves, &(struct crossover){gap->low_bytes, middle(gap), gap->before, (size_t)winner});
        add_gap(&halves, &(struct crossover){middle(gap), gap->high_bytes, (size_t)winner, gap->after});
    }
    free(study->items);
    *study = halves;
}

/// Runs the middles of all wide gaps. False on an internal error.
static bool run_middles(const struct compare_plan *plan, const struct vary *middles, struct crossover_study *study,
                        struct compare_progress *progress, struct error *err) {
    struct compare_plan halfway;
    compare_plan_make(&halfway, plan->options, plan->source, middles);
    bool ran = compare_execute(&halfway, progress, err);
    if (ran) {
        struct crossover_study at_middles = *study;
        at_middles.comparison = &halfway.comparison;
        at_middles.sizes = middles->axes[study->size_axis].count;
        halve(study, &at_middles);
    }
    compare_plan_free(&halfway);
    return ran;
}

bool crossover_find(struct compare_plan *plan, struct crossover_study *study, struct compare_progress *progress, struct error *err) {
    bool ran = true, wide = true;
    study->comparison = &plan->comparison;
    plan->comparison.study = study;
    find_gaps(plan->vary, study);
    while (ran && wide) {
        struct vary middles;
        wide = make_middles(plan->vary, study, &middles);
        if (wide) ran = run_middles(plan, &middles, study, progress, err);
        vary_free(&middles);
    }
    return ran;
}
