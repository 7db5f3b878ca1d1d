#ifndef TOPO_ECMP_H
#define TOPO_ECMP_H

#include <stdint.h>

#include "topo/topology.h"

/// How a tree spreads traffic over its equal upward ways. Every choice comes from one number: the destination
/// (d-mod-k), a hash of the flow and the switch, or a counter of the sender's chunks.
enum ecmp_policy { ECMP_D_MOD_K, ECMP_HASH, ECMP_SPRAY };
extern const char *const ecmp_names[];

#define ECMP_FIELDS(config)                                                                                                              \
    {"ecmp",                                                                                                                             \
     FIELD_CHOICE,                                                                                                                       \
     offsetof(struct config, ecmp),                                                                                                      \
     .fallback = ECMP_D_MOD_K,                                                                                                           \
     .choices = ecmp_names,                                                                                                              \
     .help = "which of the equal ways up: by destination, by a hash of (source, destination) at each switch, or chunk by chunk in turn", \
     .example = "\"d-mod-k\""},                                                                                                          \
    {                                                                                                                                    \
        "ecmp_seed", FIELD_INTEGER, offsetof(struct config, ecmp_seed), .fallback = 1, .min = 0, .max = INT64_MAX,                       \
                                                                        .help = "seed of the hash", .example = "1"                       \
    }

struct ecmp {
    enum ecmp_policy policy;
    uint64_t seed;
    uint32_t ways; ///< distinct ways up in all, for spraying
};

/// Sets the router's selector and period; router->state must start with a struct ecmp.
void ecmp_set_up(struct topology *topology, const struct ecmp *ecmp);

/// False where spraying has too many ways.
bool ecmp_check(const struct ecmp *ecmp, struct error *err);

/// The number that decides at switch `node`.
uint32_t ecmp_number(const struct ecmp *ecmp, uint32_t node, uint32_t destination, uint32_t selector);

#endif
