#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "record/result.h"
#include "report/links.h"

/// How text for people is shown.
struct table_style {
    bool color;
    bool links_given; ///< list `links` too, not the hottest alone
    struct link_selection links;
};

/// Always shown.
enum { HOTTEST_SHOWN = 10 };

/// Prints a run for people: what was simulated, each collective, totals, the hottest links.
void report_table(const struct run_result *result, const json_t *scenario, const struct table_style *style, FILE *out);

/// Ten characters, '#' for the used part; in colour where asked.
enum { BAR_SIZE = 40 };
char *utilization_bar(double utilization, bool color, char *out);

/// "98.9 %"; `out` has QUANTITY_SIZE bytes.
char *format_share(double share, char *out);

#endif
