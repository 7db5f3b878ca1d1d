#include "topo/ecmp.h"

#include "base/random.h"

const char *const ecmp_names[] = {"d-mod-k", "hash", "spray", NULL};

enum { FLOW_BITS = 14, MAX_WAYS = 1 << 20 };

// Hash: the flow, as a few bits that each switch mixes with its own salt.
static uint32_t flow_selector(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    (void)message_number, (void)chunk;
    const struct ecmp *ecmp = state;
    uint64_t flow = (uint64_t)source << 32 | destination;
    return (uint32_t)(mix64(flow ^ mix64(ecmp->seed)) >> (64 - FLOW_BITS));
}

// Spray: the sender's chunks take the ways in turn; senders start at different ways.
static uint32_t spray_selector(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    (void)destination;
    const struct ecmp *ecmp = state;
    return (uint32_t)(((uint64_t)source + message_number + chunk % ecmp->ways) % ecmp->ways);
}

void ecmp_set_up(struct topology *topology, const struct ecmp *ecmp) {
    struct router *router = &topology->router;
    if (ecmp->policy == ECMP_HASH) {
        router->selector = flow_selector;
        topology->selector_limit = 1 << FLOW_BITS;
    } else if (ecmp->policy == ECMP_SPRAY && ecmp->ways > 1) {
        router->selector = spray_selector;
        router->period = router->message_period = ecmp->ways;
        topology->selector_limit = ecmp->ways;
    }
}

bool ecmp_check(const struct ecmp *ecmp, struct error *err) {
    if (ecmp->policy != ECMP_SPRAY || ecmp->ways <= MAX_WAYS) return true;
    return error_at(err, "ecmp", "spraying over %u ways is too much: at most %d", ecmp->ways, MAX_WAYS);
}

uint32_t ecmp_number(const struct ecmp *ecmp, uint32_t node, uint32_t destination, uint32_t selector) {
    switch (ecmp->policy) {
    case ECMP_HASH: return (uint32_t)(mix64(((uint64_t)node << 32 | selector) + ecmp->seed) >> 32);
    case ECMP_SPRAY: return selector;
    default: return destination;
    }
}
