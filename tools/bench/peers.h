#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "measure.h"
#include "table.h"

/// Other programs on the same work in the same run: a row's `peer` holds their arguments. Each adds its rows to a table
/// with these heads; false where a program failed.
extern const char *const yardstick_heads[], *const simgrid_heads[];

/// The prototypes serve store-and-forward, so weft does here.
bool peers_yardstick(const struct row *row, const char *program, uint32_t repeats, struct table *table);
bool peers_simgrid(const struct row *row, const char *program, uint32_t repeats, struct table *table);

#endif
