#ifndef SYSTEMS_DGX_H
#define SYSTEMS_DGX_H

#include "systems/system.h"

/// A machine of eight GPUs around NVSwitches, with a NIC each, and the SuperPOD that many of them make: units of at most
/// `unit_nodes`, each with a leaf for each rail; a leaf has as many cables up as down, spread evenly over the spines.
struct dgx {
    const char *gpu_link, *nic_link; ///< presets
    int64_t unit_nodes;
    const int64_t *spines; ///< for 1, 2, … units
};

enum { DGX_GPUS = 8, DGX_NODES_MOST = 128 };

struct dgx_config {
    uint64_t given;
    int64_t nodes;
};
extern const struct field dgx_fields[];

/// Refuses numbers of nodes that cannot be spread evenly over units.
bool dgx_check(const struct dgx *machine, const struct dgx_config *config, struct error *err);
char *dgx_expand(const struct dgx *machine, const struct dgx_config *config);

#endif
