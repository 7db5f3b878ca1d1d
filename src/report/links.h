#ifndef REPORT_LINKS_H
#define REPORT_LINKS_H

#include <stddef.h>
#include <stdint.h>

#include "record/result.h"

/// Which links a report lists: those that carried something, all, or the `count` hottest.
enum link_set { LINKS_USED, LINKS_ALL, LINKS_TOP };

struct link_selection {
    enum link_set set;
    uint32_t count; ///< LINKS_TOP
};

/// Above so many a list is cut down to the hottest.
enum { LINKS_LISTED_MOST = 100000, LINKS_LISTED_HOTTEST = 1000 };

/// The links of a selection, sorted by node and port; cut down where they are too many for a reader.
struct link_list {
    uint32_t count;
    uint32_t *links;  ///< numbers in the graph; owned
    uint64_t omitted; ///< how many the list was cut short by
};
struct link_list link_list_select(const struct run_result *result, struct link_selection selection);

/// The same, however many they are: for what is written for programs, a link a line.
struct link_list link_list_whole(const struct run_result *result, struct link_selection selection);
void link_list_free(struct link_list *list);

/// "17" for an endpoint, "s3" for a switch: the name by number. `out` has NODE_NAME_SIZE bytes.
char *node_number_name(const struct run_result *result, uint32_t node, char *out);

/// The user's name for the node where there is one, else the name by number (written to `out`).
const char *node_shown_name(const struct run_result *result, uint32_t node, char *out);

#endif
