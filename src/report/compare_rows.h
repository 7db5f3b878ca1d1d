#ifndef REPORT_COMPARE_ROWS_H
#define REPORT_COMPARE_ROWS_H

#include "report/compare.h"

/// The rows of a comparison's tables, in any format.

/// Whether some point has several runs, and whether some run has neighbours on a ring to tell of.
bool compare_has_seeds(const struct comparison *comparison);
bool compare_has_ring(const struct comparison *comparison);

/// The columns of the varied keys; the caller frees them after the sheet. And their cells.
struct column *compare_add_keys(struct sheet *sheet, const struct comparison *comparison);
void compare_add_values(struct sheet *sheet, const struct comparison *comparison, const struct compare_point *point);

/// All points as one table.
void compare_print_points(const struct comparison *comparison, enum sheet_format format, FILE *out);

/// The cells of run_columns; and of link_columns, with `ring` of ring_columns too.
void compare_add_run(struct sheet *sheet, const struct compare_run *run);
void compare_add_link(struct sheet *sheet, const struct compare_run *run, const struct compare_link *link, bool ring);

#endif
