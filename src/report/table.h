#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "record/result.h"
#include "report/links.h"
#include "report/sheet.h"

/// How text for people is shown.
struct table_style {
    enum sheet_format format;
    bool color;
    bool links_given; ///< list `links` too, not the hottest alone
    struct link_selection links;
    bool utf8; ///< more than ASCII may be shown
};

/// Always shown.
enum { HOTTEST_SHOWN = 10 };

/// Prints a run for people: what was simulated, each collective, totals, the hottest links.
void report_table(const struct run_result *result, const json_t *scenario, const struct table_style *style, FILE *out);

/// One CSV table: the collectives, or the links of a selection.
enum run_csv { CSV_COLLECTIVES, CSV_RUN_LINKS };
void report_csv(const struct run_result *result, enum run_csv which, struct link_selection links, FILE *out);

/// Ten characters, '#' for the used part; in colour where asked.
enum { BAR_SIZE = 40 };
char *utilization_bar(double utilization, bool color, char *out);

/// "98.9 %"; `out` has QUANTITY_SIZE bytes.
char *format_share(double share, char *out);

#endif
