#include "properties/drawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

uint32_t draw(struct random_stream *random, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(random, most - least + 1);
}

static const char *pick(struct random_stream *random, const char *const *choices, uint32_t count) {
    return choices[random_below(random, count)];
}

const char *draw_switching(struct random_stream *random) {
    static const char *const ways[] = {
        "'switching': 'cut-through', 'injection': 'fifo'", "'switching': 'cut-through', 'injection': 'round-robin'",
        "'switching': 'store-and-forward', 'injection': 'fifo'", "'switching': 'store-and-forward', 'injection': 'round-robin'"};
    return pick(random, ways, 4);
}

/// What a topology is drawn from: the texts differ in the bandwidths only.
struct shape {
    uint32_t kind, a, b, c;
    uint32_t rates[2]; ///< GB/s
    const char *latency, *ties, *wrap2;
};

static void write_link(FILE *out, const char *key, uint32_t rate, const char *latency) {
    fprintf(out, ", '%s': {'bandwidth': '%uGB/s', 'latency': '%s'}", key, rate, latency);
}

enum { SWITCH, RING, TORUS, TORUS_3D, MESH, FULL, HYPERCUBE, FAT_TREE, LEAF_SPINE, CLUSTER, SHAPES };

static void write_shape(FILE *out, const struct shape *shape, uint32_t times) {
    uint32_t a = shape->a, b = shape->b, c = shape->c, rate = shape->rates[0] * times, other = shape->rates[1] * times;
    switch (shape->kind) {
    case SWITCH: fprintf(out, "{'type': 'switch', 'endpoints': %u", a + b); break;
    case RING: fprintf(out, "{'type': 'ring', 'endpoints': %u, 'ties': '%s'", a + b, shape->ties); break;
    case TORUS: fprintf(out, "{'type': 'torus', 'dims': [%u, %u], 'ties': '%s', 'wrap2': '%s'", a, b, shape->ties, shape->wrap2); break;
    case TORUS_3D:
        fprintf(out, "{'type': 'torus', 'dims': [%u, %u, %u], 'ties': '%s', 'wrap2': '%s'", a, b, c, shape->ties, shape->wrap2);
        break;
    case MESH: fprintf(out, "{'type': 'mesh', 'dims': [%u, %u]", a, b); break;
    case FULL: fprintf(out, "{'type': 'full', 'endpoints': %u", a + c); break;
    case HYPERCUBE: fprintf(out, "{'type': 'hypercube', 'dimension': %u", c + 1); break;
    case FAT_TREE: fprintf(out, "{'type': 'fat-tree', 'k': %u", c > 1 ? 4u : 2u); break;
    case LEAF_SPINE:
        fprintf(out, "{'type': 'leaf-spine', 'leaves': %u, 'hosts_per_leaf': %u, 'spines': %u, 'cables_per_pair': %u", a, b, c, 1 + a % 2);
        write_link(out, "host_link", rate, shape->latency);
        write_link(out, "up_link", other, "700ns");
        break;
    default:
        fprintf(out,
                "{'type': 'cluster', 'nodes': %u, 'nics_per_node': %u, 'fabric': {'type': 'switch'}, 'node': {'type': 'switch', "
                "'endpoints': %u",
                c, b, b);
        write_link(out, "link", other, shape->latency);
        fputs("}", out);
        write_link(out, "nic_link", rate, "2500ns");
    }
    if (shape->kind < LEAF_SPINE) write_link(out, "link", rate, shape->latency);
    fputs("}", out);
}

static char *shape_text(const struct shape *shape, uint32_t times) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write_shape(out, shape, times);
    fclose(out);
    return text;
}

static uint32_t endpoints_of(const struct shape *shape) {
    uint32_t a = shape->a, b = shape->b, c = shape->c;
    switch (shape->kind) {
    case SWITCH:
    case RING: return a + b;
    case TORUS_3D: return a * b * c;
    case FULL: return a + c;
    case HYPERCUBE: return 2u << c;
    case FAT_TREE: return c > 1 ? 16 : 2;
    case CLUSTER: return c * b;
    default: return a * b;
    }
}

void draw_topology(struct random_stream *random, int which, struct drawn_topology *out) {
    static const char *const latencies[] = {"1us", "500ns", "300ns", "0s"}, *const ties[] = {"parity", "positive", "split"},
                             *const wraps[] = {"single", "double"};
    static const uint32_t rates[] = {7, 45, 50, 100, 450};
    struct shape shape = {.kind = which == DRAW_TORUS ? draw(random, TORUS, TORUS_3D) : draw(random, 0, SHAPES - 1),
                          .a = draw(random, 2, 6),
                          .b = draw(random, 2, 6),
                          .c = draw(random, 1, 3),
                          .rates = {rates[draw(random, 0, 4)], rates[draw(random, 0, 4)]},
                          .latency = pick(random, latencies, 4),
                          .ties = pick(random, ties, 3),
                          .wrap2 = pick(random, wraps, 2)};
    *out = (struct drawn_topology){.text = shape_text(&shape, 1), .faster = shape_text(&shape, 2), .endpoints = endpoints_of(&shape)};
    if (shape.kind == TORUS || shape.kind == TORUS_3D) {
        out->dim_count = shape.kind == TORUS ? 2 : 3;
        out->dims[0] = shape.a, out->dims[1] = shape.b, out->dims[2] = shape.c;
    }
}

void drawn_topology_free(struct drawn_topology *topology) {
    free(topology->text);
    free(topology->faster);
}

char *draw_messages(struct random_stream *random, uint32_t ranks, uint32_t unit) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    uint32_t count = draw(random, 1, 40);
    fputs("{'type': 'messages', 'messages': [", out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s{'from': %u, 'to': %u, 'size': '%uB', 'at': '%uus'", i ? ", " : "", draw(random, 0, ranks - 1),
                draw(random, 0, ranks - 1), unit * draw(random, 0, 60), draw(random, 0, 2) ? 0 : draw(random, 1, 9));
        if (i > 0 && draw(random, 0, 2) == 0) fprintf(out, ", 'after': [%u]", draw(random, 0, i - 1));
        fputs("}", out);
    }
    fputs("]}", out);
    fclose(out);
    return text;
}

char *draw_collective(struct random_stream *random, int64_t bytes) {
    static const char *const collectives[] = {
        "'all-reduce', 'algorithm': 'ring'",         "'all-reduce', 'algorithm': 'recursive-doubling'",
        "'all-reduce', 'algorithm': 'rabenseifner'", "'all-reduce', 'algorithm': 'tree'",
        "'all-reduce', 'algorithm': 'naive'",        "'all-reduce', 'algorithm': 'one-shot'",
        "'all-reduce', 'algorithm': 'two-shot'",     "'all-reduce', 'algorithm': 'bidirectional-ring'",
        "'reduce-scatter', 'algorithm': 'ring'",     "'all-gather', 'algorithm': 'ring'",
        "'broadcast', 'algorithm': 'binomial'",      "'broadcast', 'algorithm': 'scatter-allgather'",
        "'reduce', 'algorithm': 'binomial'",         "'broadcast', 'algorithm': 'chain', 'pieces': 5",
        "'all-to-all', 'algorithm': 'direct'",       "'all-to-all', 'algorithm': 'direct', 'schedule': 'all-at-once'",
        "'scatter', 'algorithm': 'binomial'",        "'gather', 'algorithm': 'binomial'",
        "'all-to-all', 'algorithm': 'bruck'"};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "{'type': 'collective', 'collective': %s, 'size': '%" PRId64 "B'%s}",
            pick(random, collectives, sizeof collectives / sizeof *collectives), bytes, draw(random, 0, 2) ? "" : ", 'sync': 'step'");
    fclose(out);
    return text;
}

uint32_t *draw_places(struct random_stream *random, uint32_t endpoints) {
    uint32_t *places = allocate(endpoints * sizeof *places);
    for (uint32_t e = 0; e < endpoints; e++) places[e] = e;
    random_shuffle(random, places, endpoints);
    return places;
}

char *places_text(const uint32_t *places, uint32_t count) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < count; i++) fprintf(out, "%s%u", i ? ", " : "[", places[i]);
    fputs("]", out);
    fclose(out);
    return text;
}
