#include "topo/shape.h"

#include <stdio.h>

bool shape_check_link(const struct link_config *link, const char *where, bool switched, struct error *err) {
    if (link->bandwidth_bytes_per_s <= 0) return error_at(err, where, "is missing: give its \"bandwidth\" and its \"latency\"");
    if (link->from_alpha && !switched)
        return error_at(err, where,
                        "\"alpha\" belongs to a path through one switch, and paths lead through none here: give \"latency\" instead");
    return true;
}

bool shape_check_links(const struct link_choice *choice, struct error *err) {
    bool single = choice->link->bandwidth_bytes_per_s > 0;
    size_t count = choice->links->count;
    if (single && count > 0) return error_at(err, "links", "give either \"link\" or \"links\" (one per %s), not both", choice->unit);
    if (!single && count == 0)
        return error_at(err, "link", "is missing: give \"link\" for all, or \"links\" with one per %s", choice->unit);
    if (single) return shape_check_link(choice->link, "link", choice->switched, err);
    if (count != choice->count)
        return error_at(err, "links", "has %zu entries where there %s %u %s%s: give one per %s", count, choice->count == 1 ? "is" : "are",
                        choice->count, choice->unit, choice->count == 1 ? "" : "s", choice->unit);
    const struct link_config *links = choice->links->items;
    for (size_t i = 0; i < count; i++) {
        char where[32];
        snprintf(where, sizeof where, "links/%zu", i);
        if (!shape_check_link(&links[i], where, choice->switched, err)) return false;
    }
    return true;
}

const struct link_config *shape_link(const struct link_config *link, const struct records *links, uint32_t index) {
    return links->count > 0 ? (const struct link_config *)links->items + index : link;
}

struct link_info shape_link_info(const struct link_config *link) {
    return (struct link_info){.bandwidth_bytes_per_s = link->bandwidth_bytes_per_s, .latency_ticks = link->latency_ticks};
}

void shape_rotations(const struct topology *topology, struct translations *out) {
    *out = (struct translations){.count = 1, .radix = {topology->graph.endpoints}, .step = {1}};
}

uint64_t size_times(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t size_plus(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
