#ifndef RECORD_NAMED_LINKS_H
#define RECORD_NAMED_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/graph.h"
#include "record/result.h"

/// A link as files call it.
struct named_link {
    uint32_t link;
    char *from, *to; ///< the user's names where there are any, else "17", "s3"
    char *label;     ///< "17->s3"; "17->s3:2" by its port where several links lead from one node to the other
};

struct named_links {
    uint32_t count;
    struct named_link *items;
};

/// The links whose label fits a pattern ("0->1", "s*->*", as fnmatch(3) has it; by number works for named nodes too).
/// NULL: those that carried something. With `top` above 0 only that many, the busiest first; else by node and port.
struct named_links named_links_choose(const struct graph *graph, const struct run_result *result, const char *pattern, int64_t top);
void named_links_free(struct named_links *links);

/// Whether any link fits.
bool named_links_any(const struct graph *graph, const char *pattern);

/// "17->s3", to be freed.
char *link_label(const struct graph *graph, uint32_t link);

#endif
