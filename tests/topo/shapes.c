#include "shapes.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Configs live until the process ends: Check forks one per test.
static struct arena arena;

static void parse_object(const struct field *fields, void *config, char *text);

// Splits off the next word; braces hold words together and are taken off a value later.
static char *next_word(char **rest, char separator) {
    char *start = *rest;
    while (*start == separator) start++;
    if (!*start) return NULL;
    int depth = 0;
    char *end = start;
    for (; *end && (depth > 0 || *end != separator); end++) depth += *end == '{' ? 1 : *end == '}' ? -1 : 0;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static char *unbraced(char *text) {
    size_t length = strlen(text);
    ck_assert_msg(length >= 2 && text[0] == '{' && text[length - 1] == '}', "%s has no braces", text);
    text[length - 1] = '\0';
    return text + 1;
}

static void parse_link(struct link_config *link, char *text) {
    long long bandwidth, latency;
    char mark;
    ck_assert_int_eq(sscanf(text, "%lld%c%lld", &bandwidth, &mark, &latency), 3);
    *link = (struct link_config){.bandwidth_bytes_per_s = bandwidth, .latency_ticks = latency, .from_alpha = mark == '@'};
}

static void parse_variant(const struct family *family, struct variant *variant, char *text) {
    char *name = next_word(&text, ' ');
    for (const struct variant_type *const *type = family->types; *type; type++)
        if (!strcmp((*type)->name, name)) variant->type = *type;
    ck_assert_msg(variant->type != NULL, "no %s is called %s", family->noun, name);
    variant->config = arena_allocate(&arena, variant->type->config_size);
    field_defaults(variant->type->fields, variant->config);
    parse_object(variant->type->fields, variant->config, text);
}

static size_t item_size(const struct field *field) {
    switch (field->kind) {
    case FIELD_INTEGERS: return sizeof(int64_t);
    case FIELD_LINKS: return sizeof(struct link_config);
    case FIELD_NODES: return sizeof(struct node_config);
    default: return field->item_size;
    }
}

static void parse_item(const struct field *field, void *item, char *text) {
    switch (field->kind) {
    case FIELD_INTEGERS: *(int64_t *)item = strtoll(text, NULL, 10); break;
    case FIELD_LINKS: parse_link(item, text); break;
    case FIELD_NODES: { // name, or name: for a switch
        size_t length = strlen(text);
        bool is_switch = text[length - 1] == ':';
        if (is_switch) text[length - 1] = '\0';
        *(struct node_config *)item = (struct node_config){text, is_switch};
        break;
    }
    default: field_defaults(field->fields, item); parse_object(field->fields, item, unbraced(text));
    }
}

static void parse_list(const struct field *field, struct records *list, char *text) {
    size_t size = item_size(field);
    list->items = arena_allocate(&arena, (strlen(text) / 2 + 1) * size);
    for (char *word; (word = next_word(&text, ','));) parse_item(field, (char *)list->items + list->count++ * size, word);
}

static void parse_count(struct records *nodes, char *text) {
    nodes->count = (size_t)strtoll(text, NULL, 10);
    nodes->items = arena_allocate(&arena, nodes->count * sizeof(struct node_config));
}

static void parse_choice(const struct field *field, int *place, const char *text) {
    int i = 0;
    while (field->choices[i] && strcmp(field->choices[i], text) != 0) i++;
    ck_assert_msg(field->choices[i] != NULL, "%s is no %s", text, field->name);
    *place = i;
}

static void parse_value(const struct field *field, void *place, char *text) {
    switch (field->kind) {
    case FIELD_INTEGER:
    case FIELD_BYTES:
    case FIELD_RATE:
    case FIELD_TIME: *(int64_t *)place = strtoll(text, NULL, 10); break;
    case FIELD_BOOLEAN: *(bool *)place = !strcmp(text, "true"); break;
    case FIELD_CHOICE: parse_choice(field, place, text); break;
    case FIELD_TEXT:
    case FIELD_NODE: *(const char **)place = text; break;
    case FIELD_LINK: parse_link(place, text); break;
    case FIELD_VARIANT: parse_variant(field->family, place, unbraced(text)); break;
    case FIELD_NODES:
        if (text[0] >= '0' && text[0] <= '9') {
            parse_count(place, text);
            break;
        } // fall through
    case FIELD_INTEGERS:
    case FIELD_LINKS:
    case FIELD_LIST: parse_list(field, place, text); break;
    default: ck_abort_msg("no test parser for %s", field->name);
    }
}

static void parse_object(const struct field *fields, void *config, char *text) {
    for (char *word; (word = next_word(&text, ' '));) {
        char *value = strchr(word, '=');
        ck_assert_msg(value != NULL, "%s is no key=value", word);
        *value++ = '\0';
        const struct field *field = field_find(fields, word);
        ck_assert_msg(field != NULL, "no key %s", word);
        *(uint64_t *)config |= UINT64_C(1) << (field - fields);
        parse_value(field, (char *)config + field->offset, value);
    }
}

struct topology *shape_try(const char *line, struct error *err) {
    struct variant variant = {0};
    parse_variant(&topology_family, &variant, arena_copy_text(&arena, line));
    return topology_create(&variant, err);
}

struct topology *shape_build(const char *line) {
    struct error err = {0};
    struct topology *topology = shape_try(line, &err);
    ck_assert_msg(topology != NULL, "%s: /%s: %s", line, err.where, err.text);
    return topology;
}

void shape_free(struct topology *topology) {
    topology_free(topology);
    arena_free(&arena);
}

uint32_t *shape_distances(const struct graph *graph, uint32_t destination) {
    uint32_t nodes = graph_nodes(graph), *distance = allocate(nodes * sizeof *distance);
    for (uint32_t v = 0; v < nodes; v++) distance[v] = v == destination ? 0 : UINT32_MAX;
    bool nearer = true;
    while (nearer) {
        nearer = false;
        for (uint32_t l = 0; l < graph->link_count; l++) {
            uint32_t from = graph->links[l].from, to = graph->links[l].to;
            if (distance[to] == UINT32_MAX || distance[from] <= distance[to] + 1) continue;
            distance[from] = distance[to] + 1;
            nearer = true;
        }
    }
    return distance;
}

uint32_t shape_route(const struct topology *topology, uint32_t a, uint32_t b, uint32_t message, uint64_t chunk,
                     uint32_t links[ROUTE_SIZE]) {
    uint32_t hops = topology_route(topology, a, b, message, chunk, links, ROUTE_SIZE), node = a;
    uint8_t *met = allocate_zeroed(graph_nodes(&topology->graph), 1);
    met[a] = 1;
    for (uint32_t i = 0; i < hops; i++) {
        const struct link_info *link = &topology->graph.links[links[i]];
        ck_assert_uint_eq(link->from, node);
        node = link->to;
        ck_assert_msg(!met[node], "the route from %u to %u meets node %u twice", a, b, node);
        met[node] = 1;
    }
    ck_assert_uint_eq(node, b);
    free(met);
    return hops;
}

void shape_check_cut(const struct topology *topology, const struct bisection *cut) {
    const struct graph *graph = &topology->graph;
    uint32_t zeros = 0;
    uint64_t crossing = 0;
    for (uint32_t e = 0; e < graph->endpoints; e++) zeros += cut->side[e] == 0;
    for (uint32_t l = 0; l < graph->link_count; l++) crossing += cut->side[graph->links[l].from] != cut->side[graph->links[l].to];
    ck_assert_uint_eq(zeros, graph->endpoints / 2);
    ck_assert_uint_eq((crossing + 1) / 2, cut->cables);
}
