#ifndef BASE_FIGURES_H
#define BASE_FIGURES_H

#include <stddef.h>
#include <stdint.h>

/// A workload's own figures: whatever it has to say about a run beside what every run tells. Reports print them in this
/// order; those of a group are added one after another. Integers only: a share is two of them, divided by the report.

enum figure_kind {
    FIGURE_TIME,      ///< value: ticks
    FIGURE_SPAN,      ///< from value to other: ticks
    FIGURE_BYTES,     ///< value: bytes
    FIGURE_RATE,      ///< value bytes in other ticks; none where that is 0
    FIGURE_SHARE,     ///< value out of other; none where that is 0
    FIGURE_RATIO,     ///< value over other, as a plain number; none where that is 0
    FIGURE_FREQUENCY, ///< value in other ticks, as a number per second; none where that is 0
    FIGURE_COUNT,     ///< value
    FIGURE_TEXT,      ///< text
};

struct figure {
    enum figure_kind kind;
    char *group, *name; ///< in words: "time per step"; owned, like the text
    char *text;
    int64_t value, other;
};

struct figures {
    size_t count, capacity;
    struct figure *items;
    char scope[64]; ///< put before each group: which item of a sequence it is ("0/"); empty outside of any
};

void figures_free(struct figures *figures);

/// Adds one figure; the texts are copied.
void figures_time(struct figures *figures, const char *group, const char *name, int64_t ticks);
void figures_span(struct figures *figures, const char *group, const char *name, int64_t start_ticks, int64_t end_ticks);
void figures_bytes(struct figures *figures, const char *group, const char *name, int64_t bytes);
void figures_rate(struct figures *figures, const char *group, const char *name, int64_t bytes, int64_t ticks);
void figures_share(struct figures *figures, const char *group, const char *name, int64_t part, int64_t whole);
void figures_ratio(struct figures *figures, const char *group, const char *name, int64_t value, int64_t over);
void figures_frequency(struct figures *figures, const char *group, const char *name, int64_t value, int64_t ticks);
void figures_count(struct figures *figures, const char *group, const char *name, int64_t count);
void figures_text(struct figures *figures, const char *group, const char *name, const char *text);

/// The figures that follow are those of item `index` of a composite; returns what figures_leave takes to undo it.
size_t figures_enter(struct figures *figures, size_t index);
void figures_leave(struct figures *figures, size_t scope_length);

/// The figure of that group and name, or NULL.
const struct figure *figures_find(const struct figures *figures, const char *group, const char *name);

#endif
