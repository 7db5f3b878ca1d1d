#include "report/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/links.h"
#include "report/svg_layout.h"

enum { HEADER = 54, MARGIN = 20 };

double load_heat(const struct run_result *result, const struct carried_load *load, enum heat heat) {
    switch (heat) {
    case HEAT_BYTES: return (double)load->bytes;
    case HEAT_QUEUE: return (double)load->peak_queue_bytes;
    default: return load_utilization(result, load);
    }
}

double heat_most(const struct run_result *result, enum heat heat) {
    if (heat == HEAT_UTILIZATION) return 1;
    double most = 0;
    for (uint32_t i = 0; i < result->load_count; i++) most = fmax(most, load_heat(result, &result->loads[i], heat));
    return most;
}

static void put_escaped(const char *text, FILE *out) {
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc(*text, out);
        }
    }
}

static void put_link_title(const struct run_result *result, const struct link_result *link, FILE *out) {
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE], bytes[QUANTITY_SIZE], queue[QUANTITY_SIZE];
    fputs("<title>", out);
    put_escaped(node_shown_name(result, link->from, from), out);
    fputs(" to ", out);
    put_escaped(node_shown_name(result, link->to, to), out);
    fprintf(out, " (port %u): busy %.1f %%, %s in %" PRIu64 " chunks, peak queue %s</title>", link->port,
            100 * link_utilization(result, link), format_bytes((double)link->bytes, bytes), link->chunks,
            format_bytes((double)link->peak_queue_bytes, queue));
}

static void put_link(const struct svg_layout *layout, uint32_t number, double share, FILE *out) {
    struct svg_stroke strokes[2];
    char color[COLOR_SIZE];
    const struct link_result link = link_result_of(layout->map->result, number);
    int count = svg_layout_strokes(layout, &layout->map->result->graph->links[number], strokes);
    fprintf(out, "<g stroke=\"%s\" stroke-width=\"%.1f\">", heat_color(share, color), 2.5 + 3 * share);
    put_link_title(layout->map->result, &link, out);
    for (int i = 0; i < count; i++)
        fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>", strokes[i].from.x, strokes[i].from.y, strokes[i].to.x, strokes[i].to.y);
    fputs("</g>\n", out);
}

struct shaded {
    double share;
    uint32_t link;
};

static int by_share(const void *left, const void *right) {
    const struct shaded *a = left, *b = right;
    if (a->share < b->share || a->share > b->share) return a->share < b->share ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

/// Hot links last, so that they lie on top.
static void put_links(const struct svg_layout *layout, FILE *out) {
    const struct heat_map *map = layout->map;
    struct link_list list = link_list_select(map->result, (struct link_selection){LINKS_ALL, 0});
    struct shaded *shaded = allocate(list.count * sizeof *shaded);
    for (uint32_t i = 0; i < list.count; i++) {
        double heat = load_heat(map->result, &map->result->loads[load_of_link(map->result, list.links[i])], map->heat);
        shaded[i] = (struct shaded){map->most > 0 ? fmin(heat / map->most, 1) : 0, list.links[i]};
    }
    qsort(shaded, list.count, sizeof *shaded, by_share);
    for (uint32_t i = 0; i < list.count; i++) put_link(layout, shaded[i].link, shaded[i].share, out);
    free(shaded);
    link_list_free(&list);
}

static void put_node_title(const struct heat_map *map, uint32_t node, uint32_t rank, FILE *out) {
    char name[NODE_NAME_SIZE];
    uint32_t at[8];
    bool is_switch = node >= map->result->endpoints;
    fputs(is_switch ? "<title>switch " : "<title>endpoint ", out);
    put_escaped(node_shown_name(map->result, node, name), out);
    if (!is_switch && map->dim_count > 1 && map->dim_count < 8) {
        svg_coordinates(map, node, at);
        for (uint32_t d = 0; d < map->dim_count; d++) fprintf(out, "%s%u", d ? ", " : " (", at[d]);
        fputc(')', out);
    }
    if (rank != UINT32_MAX) fprintf(out, ": rank %u", rank);
    fputs("</title>", out);
}

static void put_node(const struct svg_layout *layout, uint32_t node, uint32_t rank, FILE *out) {
    struct svg_point at = layout->nodes[node];
    uint32_t endpoints = layout->map->result->endpoints;
    double half = layout->bars && node >= endpoints ? layout->bars[node - endpoints].half : SVG_SWITCH_HALF;
    if (node >= endpoints)
        fprintf(out, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" class=\"s\"/>", at.x - half, at.y - 9, 2 * half);
    else
        fprintf(out, "<g><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" class=\"%s\"/>", at.x, at.y, SVG_NODE_RADIUS,
                rank == UINT32_MAX ? "i" : "e");
    put_node_title(layout->map, node, rank, out);
    char name[NODE_NAME_SIZE];
    const char *given = layout->map->result->node_names ? layout->map->result->node_names[node] : NULL;
    if (node >= endpoints)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", at.x, at.y + 3, node_number_name(layout->map->result, node, name));
    else if (rank != UINT32_MAX)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>%u</text>", at.x, at.y + 3, rank > 999 ? " class=\"m\"" : "", rank);
    if (given) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"u\">", at.x, at.y + 21);
        put_escaped(given, out);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

/// Of more than two dimensions: which slice is which, "(2, *, *)".
static void put_slice_names(const struct svg_layout *layout, FILE *out) {
    const struct heat_map *map = layout->map;
    uint32_t last = map->dim_count - 1, at[8];
    if (!layout->grid || map->dim_count < 3) return;
    uint32_t slice_size = map->dims[last] * map->dims[last - 1];
    for (uint32_t v = 0; v < map->result->endpoints; v += slice_size) {
        svg_coordinates(map, v, at);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"l\">(", layout->nodes[v].x + 12, layout->nodes[v].y - 0.45 * layout->cell);
        for (uint32_t d = 0; d < last - 1; d++) fprintf(out, "%u, ", at[d]);
        fputs("*, *)</text>\n", out);
    }
}

static void put_nodes(const struct svg_layout *layout, FILE *out) {
    const struct run_result *result = layout->map->result;
    uint32_t nodes = result->endpoints + result->switches;
    uint32_t *rank_at = allocate(nodes * sizeof *rank_at);
    for (uint32_t v = 0; v < nodes; v++) rank_at[v] = UINT32_MAX;
    for (uint32_t r = 0; r < result->ranks; r++) rank_at[result->place[r]] = r;
    for (uint32_t v = 0; v < nodes; v++) put_node(layout, v, rank_at[v], out);
    free(rank_at);
}

static void put_boxes(const struct svg_layout *layout, FILE *out) {
    for (uint32_t i = 0; i < layout->box_count; i++) {
        const struct svg_box *box = &layout->boxes[i];
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\" class=\"b\"/>", box->x, box->y, box->width,
                box->height);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"l\">node %u</text>\n", box->x + 8, box->y + box->height - 8, i);
    }
}

static void put_heading(const struct heat_map *map, FILE *out) {
    fprintf(out, "<text x=\"%d\" y=\"26\" class=\"h\">", MARGIN);
    put_escaped(map->title, out);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"44\" class=\"l\">", MARGIN);
    put_escaped(map->subtitle, out);
    fputs("</text>\n", out);
}

struct svg_panel svg_panel_draw(const struct heat_map *map) {
    struct svg_layout layout = svg_layout_make(map);
    struct svg_panel panel = {.height = layout.height + HEADER};
    double title_width = 2 * MARGIN + 9 * (double)strlen(map->title), subtitle_width = 2 * MARGIN + 6.2 * (double)strlen(map->subtitle);
    panel.width = fmax(layout.width, fmax(title_width, subtitle_width)); // of its letters, about
    FILE *out = open_memstream(&panel.text, &panel.size);
    if (!out) fatal("out of memory");
    put_heading(map, out);
    fprintf(out, "<g transform=\"translate(%.1f %d)\">\n", (panel.width - layout.width) / 2, HEADER);
    put_boxes(&layout, out);
    put_links(&layout, out);
    put_nodes(&layout, out);
    put_slice_names(&layout, out);
    fputs("</g>\n", out);
    if (fclose(out) != 0) fatal("out of memory");
    svg_layout_free(&layout);
    return panel;
}
