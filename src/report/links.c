#include "report/links.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static int by_index(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static struct link_list hottest(const struct run_result *result, uint32_t count) {
    if (count > result->link_count) count = result->link_count;
    struct link_list list = {.links = allocate(count * sizeof *list.links)};
    list.count = hottest_links(result, count, list.links);
    qsort(list.links, list.count, sizeof *list.links, by_index);
    return list;
}

static uint32_t count_selected(const struct run_result *result, struct link_selection selection) {
    if (selection.set == LINKS_USED) return links_used(result);
    return selection.set == LINKS_TOP && selection.count < result->link_count ? selection.count : result->link_count;
}

struct link_list link_list_select(const struct run_result *result, struct link_selection selection) {
    uint32_t wanted = count_selected(result, selection);
    if (wanted <= LINKS_LISTED_MOST) return link_list_whole(result, selection);
    struct link_list list = hottest(result, LINKS_LISTED_HOTTEST);
    list.omitted = wanted - list.count;
    return list;
}

struct link_list link_list_whole(const struct run_result *result, struct link_selection selection) {
    uint32_t wanted = count_selected(result, selection);
    if (selection.set == LINKS_TOP) return hottest(result, wanted);
    struct link_list list = {.links = allocate(wanted * sizeof *list.links)};
    for (uint32_t l = 0; l < result->link_count; l++)
        if (selection.set == LINKS_ALL || result->loads[load_of_link(result, l)].chunks) list.links[list.count++] = l;
    return list;
}

void link_list_free(struct link_list *list) {
    free(list->links);
    *list = (struct link_list){0};
}

char *node_number_name(const struct run_result *result, uint32_t node, char *out) {
    if (node < result->endpoints)
        snprintf(out, NODE_NAME_SIZE, "%u", node);
    else
        snprintf(out, NODE_NAME_SIZE, "s%u", node - result->endpoints);
    return out;
}

const char *node_shown_name(const struct run_result *result, uint32_t node, char *out) {
    if (result->node_names && result->node_names[node]) return result->node_names[node];
    return node_number_name(result, node, out);
}
