#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include <jansson.h>
#include <stdio.h>

#include "record/result.h"

/// A ring all-reduce of 1000 bytes between two endpoints of one switch, 1 GB/s and 1 us a link, worked out by hand:
/// each rank sends a block of 500 bytes in each of 2 steps; a step takes 2 x 1 us + 500 B / (1 GB/s) = 2.5 us, the run
/// 5 us. Each of the 4 links carries 2 chunks, 1000 bytes, and is busy for 1 us of the 5. Bandwidths are
/// 1000 B / 5 us = 200 MB/s (times 2 (2-1)/2 = 1). The busiest link's bytes need 1 us: efficiency 0.2.
/// Free it with run_result_free.
struct run_result fixture_result(void);

/// Gives a result links in place of those it has, of a graph that lives as long as the program.
void fixture_links(struct run_result *result, const struct link_result *links, uint32_t count);

/// Its scenario, as if resolved. The caller decrefs.
json_t *fixture_scenario(void);

/// What `print` writes; the caller frees.
char *fixture_printed(void (*print)(void *context, FILE *out), void *context);

#endif
