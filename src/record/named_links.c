#include "record/named_links.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static char *copy_text(const char *text) { return strcpy(allocate(strlen(text) + 1), text); }

static const char *name_of(const struct graph *graph, uint32_t node, bool by_number, char *out) {
    if (!by_number && graph->names && graph->names[node]) return graph->names[node];
    return graph_node_name(graph, node, out);
}

static bool has_twin(const struct graph *graph, uint32_t link) {
    const struct link_info *info = &graph->links[link];
    for (uint32_t l = graph->first_out[info->from]; l < graph->first_out[info->from + 1]; l++)
        if (l != link && graph->links[l].to == info->to) return true;
    return false;
}

static char *make_label(const struct graph *graph, uint32_t link, bool by_number, bool with_port) {
    const struct link_info *info = &graph->links[link];
    char number_from[NODE_NAME_SIZE], number_to[NODE_NAME_SIZE];
    const char *from = name_of(graph, info->from, by_number, number_from), *to = name_of(graph, info->to, by_number, number_to);
    size_t size = strlen(from) + strlen(to) + sizeof "->:4294967295";
    char *label = allocate(size);
    int used = snprintf(label, size, "%s->%s", from, to);
    if (with_port) snprintf(label + used, size - (size_t)used, ":%u", info->from_port);
    return label;
}

char *link_label(const struct graph *graph, uint32_t link) { return make_label(graph, link, false, has_twin(graph, link)); }

static bool fits(const struct graph *graph, uint32_t link, const char *pattern) {
    bool found = false;
    for (int form = 0; form < 4 && !found; form++) {
        bool by_number = form & 1, with_port = form & 2;
        if (by_number && !graph->names) continue;
        char *label = make_label(graph, link, by_number, with_port);
        found = !fnmatch(pattern, label, 0);
        free(label);
    }
    return found;
}

bool named_links_any(const struct graph *graph, const char *pattern) {
    for (uint32_t l = 0; l < graph->link_count; l++)
        if (fits(graph, l, pattern)) return true;
    return false;
}

struct candidate {
    uint32_t link;
    int64_t busy_ticks;
};

static int by_busy(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    if (a->busy_ticks != b->busy_ticks) return a->busy_ticks > b->busy_ticks ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

static struct named_link name_link(const struct graph *graph, uint32_t link) {
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE];
    const struct link_info *info = &graph->links[link];
    return (struct named_link){
        .link = link,
        .from = copy_text(name_of(graph, info->from, false, from)),
        .to = copy_text(name_of(graph, info->to, false, to)),
        .label = link_label(graph, link),
    };
}

struct named_links named_links_choose(const struct graph *graph, const struct run_result *result, const char *pattern, int64_t top) {
    struct candidate *chosen = allocate(graph->link_count * sizeof *chosen);
    uint32_t count = 0;
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct carried_load *load = &result->loads[load_of_link(result, l)];
        if (pattern ? fits(graph, l, pattern) : load->chunks > 0) chosen[count++] = (struct candidate){l, load->busy_ticks};
    }
    if (top > 0) {
        qsort(chosen, count, sizeof *chosen, by_busy);
        if (top < count) count = (uint32_t)top;
    }
    struct named_links links = {count, allocate(count * sizeof *links.items)};
    for (uint32_t i = 0; i < count; i++) links.items[i] = name_link(graph, chosen[i].link);
    free(chosen);
    return links;
}

void named_links_free(struct named_links *links) {
    for (uint32_t i = 0; i < links->count; i++) {
        free(links->items[i].from);
        free(links->items[i].to);
        free(links->items[i].label);
    }
    free(links->items);
    *links = (struct named_links){0};
}
