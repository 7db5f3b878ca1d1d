#include "cli/shorthand.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "topo/topology.h"

/// How "NAME:4x4x2" fills a shape's keys: one number a key, or all numbers as one list.
struct shape {
    const char *name;
    bool list; ///< keys[0] takes all numbers
    const char *keys[4];
    const char *link_keys[3]; ///< what --link sets
    const char *example;
};

static const struct shape shapes[] = {
    {"switch", false, {"endpoints"}, {"link"}, "switch:8"},
    {"ring", false, {"endpoints"}, {"link"}, "ring:8"},
    {"full", false, {"endpoints"}, {"link"}, "full:8"},
    {"torus", true, {"dims"}, {"link"}, "torus:4x4x4"},
    {"mesh", true, {"dims"}, {"link"}, "mesh:4x4"},
    {"hypercube", false, {"dimension"}, {"link"}, "hypercube:4"},
    {"fat-tree", false, {"k"}, {"link"}, "fat-tree:4"},
    {"leaf-spine", false, {"leaves", "hosts_per_leaf", "spines"}, {"host_link", "up_link"}, "leaf-spine:4x4x2"},
    {"cluster", false, {"nodes", "node.endpoints"}, {"node.link"}, "cluster:4x8"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/// "switch:8, ring:8, …": how they are all written.
static const char *all_examples(char out[static 256]) {
    const char *examples[SHAPES + 1] = {NULL};
    for (size_t i = 0; i < SHAPES; i++) examples[i] = shapes[i].example;
    return text_join(examples, out, 256);
}

static const struct shape *find_shape(const char *name, struct error *err) {
    enum { NAMES_MOST = 63 };
    const char *names[NAMES_MOST + 1] = {NULL};
    char quoted[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE], examples[256];
    bool known = false;
    for (size_t i = 0; i < SHAPES; i++)
        if (!strcmp(shapes[i].name, name)) return &shapes[i];
    for (size_t i = 0; topology_family.types[i] && i < NAMES_MOST; i++) {
        names[i] = topology_family.types[i]->name;
        known = known || !strcmp(names[i], name);
    }
    text_quote(name, quoted);
    if (known)
        error_set(err, ERROR_INPUT,
                  "--topology: %s has no short form, a scenario file describes it (\"network\": {\"topology\": {\"type\": %s, …}}); "
                  "short forms are %s",
                  name, quoted, all_examples(examples));
    else if (*text_meant(name, names, meant))
        error_set(err, ERROR_INPUT, "--topology: unknown shape %s%s", quoted, meant);
    else
        error_set(err, ERROR_INPUT, "--topology: unknown shape %s; short forms are %s", quoted, all_examples(examples));
    return NULL;
}

static bool shape_mistake(const struct shape *shape, struct error *err) {
    return error_set(err, ERROR_INPUT, "--topology: sizes of a %s are written as %s", shape->name, shape->example);
}

/// Adds the shape's sizes, "4x4x2"; the numbers' ranges are the scenario reader's affair.
static bool expand_sizes(const struct shape *shape, const char *sizes, struct texts *out, struct error *err) {
    static const char prefix[] = "network.topology.";
    char list[128] = "";
    size_t count = 0;
    for (const char *at = sizes;; at++) {
        size_t digits = strspn(at, "0123456789"), used = strlen(list);
        if (digits == 0 || (at[digits] && at[digits] != 'x') || used + digits + 2 > sizeof list) return shape_mistake(shape, err);
        if (!shape->list && (count == 4 || !shape->keys[count])) return shape_mistake(shape, err);
        if (shape->list)
            snprintf(list + used, sizeof list - used, "%s%.*s", count ? "," : "", (int)digits, at);
        else
            texts_add(out, "%s%s=%.*s", prefix, shape->keys[count], (int)digits, at);
        count++;
        at += digits;
        if (!*at) break;
    }
    if (shape->list)
        texts_add(out, "%s%s=[%s]", prefix, shape->keys[0], list);
    else if (count < 4 && shape->keys[count])
        return shape_mistake(shape, err);
    return true;
}

/// "45GB/s,1us" is a bandwidth and a latency, what begins with no digit a preset's name.
static bool expand_link(const char *key, const char *link, struct texts *out, struct error *err) {
    const char *comma = strchr(link, ',');
    if (!comma && strspn(link, "0123456789."))
        return error_set(err, ERROR_INPUT, "--%s: \"%s\" is a bandwidth without a latency; both are written as 45GB/s,1us",
                         !strcmp(key, "nic_link") ? "nic-link" : "link", link);
    if (comma)
        texts_add(out, "network.topology.%s={\"bandwidth\": \"%.*s\", \"latency\": \"%s\"}", key, (int)(comma - link), link, comma + 1);
    else
        texts_add(out, "network.topology.%s=%s", key, link);
    return true;
}

static bool expand_network(const struct options *options, struct texts *out, struct error *err) {
    if (!options->topology)
        return (!options->link || expand_link("link", options->link, out, err)) &&
               (!options->nic_link || expand_link("nic_link", options->nic_link, out, err));
    char name[64];
    size_t length = strcspn(options->topology, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, options->topology);
    const struct shape *shape = find_shape(name, err);
    if (!shape) return false;
    texts_add(out, "network.topology={\"type\": \"%s\"}", shape->name);
    bool cluster = !strcmp(shape->name, "cluster");
    if (cluster) {
        texts_add(out, "network.topology.node={\"type\": \"switch\"}");
        texts_add(out, "network.topology.fabric={\"type\": \"switch\"}");
    }
    if (!options->topology[length]) return shape_mistake(shape, err);
    if (!expand_sizes(shape, options->topology + length + 1, out, err)) return false;
    for (size_t i = 0; options->link && i < 3 && shape->link_keys[i]; i++)
        if (!expand_link(shape->link_keys[i], options->link, out, err)) return false;
    if (options->nic_link && !cluster) return error_set(err, ERROR_INPUT, "--nic-link: a %s has no NICs; a cluster has", shape->name);
    const char *nic = options->nic_link ? options->nic_link : cluster ? options->link : NULL;
    return !nic || expand_link("nic_link", nic, out, err);
}

/// "NAME", "NAME:4" (nodes) or "NAME:4x4x8" (dims).
static bool expand_system(const char *system, struct texts *out, struct error *err) {
    size_t length = strcspn(system, ":");
    texts_add(out, "system={\"type\": \"%.*s\"}", (int)length, system);
    if (!system[length]) return true;
    const char *sizes = system + length + 1;
    char list[128];
    size_t size = strlen(sizes);
    if (!size || size >= sizeof list || strspn(sizes, "0123456789x") != size)
        return error_set(err, ERROR_INPUT, "--system: sizes are written as dgx-h100:4 or tpu-v5p:4x4x8");
    for (size_t i = 0; i <= size; i++) list[i] = sizes[i] == 'x' ? ',' : sizes[i];
    texts_add(out, strchr(list, ',') ? "system.dims=[%s]" : "system.nodes=%s", list);
    return true;
}

static void expand_collective(const char *collective, struct texts *out) {
    size_t length = strcspn(collective, ":");
    texts_add(out, "workload={\"type\": \"collective\"}");
    texts_add(out, "workload.collective=%.*s", (int)length, collective);
    if (collective[length]) texts_add(out, "workload.algorithm=%s", collective + length + 1);
}

bool shorthand_expand(const struct options *options, struct texts *assignments, struct error *err) {
    if (options->system && options->topology) return error_set(err, ERROR_INPUT, "--system brings its own topology; leave --topology out");
    if (options->system && !expand_system(options->system, assignments, err)) return false;
    if (!expand_network(options, assignments, err)) return false;
    if (options->collective) expand_collective(options->collective, assignments);
    for (size_t i = 0; i < options->settings.count; i++) texts_add(assignments, "%s", options->settings.items[i]);
    for (size_t i = 0; i < options->set.count; i++) texts_add(assignments, "%s", options->set.items[i]);
    return true;
}

/// Whether "KEY=VALUE" is of a key that names the run, or says what is written and checked afterwards.
static bool is_beside_run(const char *assignment) {
    static const char *const keys[] = {"name", "output", "assert", "$schema"};
    size_t length = strcspn(assignment, "=.");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (length == strlen(keys[i]) && !strncmp(assignment, keys[i], length)) return true;
    return false;
}

/// Each use of the option, as " --NAME VALUE".
static void put_uses(const struct options *options, const struct option *option, FILE *out) {
    const char *value = option->kind == OPTION_TEXT ? *(const char *const *)((const char *)options + option->offset) : NULL;
    if (value) fprintf(out, " --%s %s", option->name, value);
    for (size_t i = 0; option->kind == OPTION_TEXTS && i < options->set.count; i++)
        if (!is_beside_run(options->set.items[i])) fprintf(out, " --%s %s", option->name, options->set.items[i]);
    for (size_t i = 0; option->kind == OPTION_SETTING && i < options->settings.count; i++) {
        const char *setting = options->settings.items[i];
        size_t length = strlen(option->key);
        if (!strncmp(setting, option->key, length) && setting[length] == '=') fprintf(out, " --%s %s", option->name, setting + length + 1);
    }
}

char *shorthand_changes(const struct options *options) {
    enum { LONGEST = 120 };
    static const struct option *const tables[] = {network_options, workload_options, scenario_options};
    static const char more[] = " …";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) fatal("out of memory");
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct option *option = tables[t]; option->name; option++) put_uses(options, option, out);
    if (fclose(out) != 0) fatal("out of memory");
    if (size > LONGEST) {
        char *end = text + LONGEST - sizeof more;
        while (*end != ' ') end--;
        memcpy(end, more, sizeof more);
    }
    char *changes = size > 0 ? text_format("%s", text + 1) : NULL;
    free(text);
    return changes;
}

bool shorthand_is_shape(const char *text) {
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < SHAPES && text[length]; i++)
        if (strlen(shapes[i].name) == length && !strncmp(shapes[i].name, text, length)) return true;
    return false;
}

void shorthand_shapes(struct texts *out) {
    for (size_t i = 0; i < SHAPES; i++) texts_add(out, "%s:", shapes[i].name);
}
