#include "report/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/links.h"
#include "report/svg_layout.h"

enum { HEADER = 54, FOOTER = 62, SCALE_WIDTH = 240, SCALE_HEIGHT = 12, LEAST_WIDTH = 420 };

/// From light to dark with steadily falling luminance: told apart in every kind of colour blindness and in grey.
static const unsigned char palette[][3] = {{228, 231, 238}, {250, 212, 126}, {240, 148, 84}, {200, 72, 92}, {116, 28, 112}, {32, 10, 60}};
enum { STOPS = sizeof palette / sizeof *palette };

static void put_color(double utilization, FILE *out) {
    double at = fmin(fmax(utilization, 0), 1) * (STOPS - 1);
    int low = at >= STOPS - 1 ? STOPS - 2 : (int)at, parts[3];
    for (int c = 0; c < 3; c++) parts[c] = (int)lround(palette[low][c] + (at - low) * (palette[low + 1][c] - palette[low][c]));
    fprintf(out, "#%02x%02x%02x", parts[0] & 255, parts[1] & 255, parts[2] & 255);
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

static void put_link(const struct svg_layout *layout, const struct link_result *link, FILE *out) {
    const struct run_result *result = layout->map->result;
    double utilization = link_utilization(result, link);
    struct svg_stroke strokes[2];
    int count = svg_layout_strokes(layout, link, strokes);
    fputs("<g stroke=\"", out);
    put_color(utilization, out);
    fprintf(out, "\" stroke-width=\"%.1f\">", 2.5 + 3 * utilization);
    put_link_title(result, link, out);
    for (int i = 0; i < count; i++)
        fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>", strokes[i].from.x, strokes[i].from.y, strokes[i].to.x, strokes[i].to.y);
    fputs("</g>\n", out);
}

static void put_links(const struct svg_layout *layout, FILE *out) {
    const struct run_result *result = layout->map->result;
    struct link_list list = link_list_select(result, (struct link_selection){LINKS_ALL, 0});
    for (uint32_t i = 0; i < list.count; i++) put_link(layout, &result->links[list.links[i]], out);
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
    if (node >= layout->map->result->endpoints)
        fprintf(out, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"26\" height=\"18\" class=\"s\"/>", at.x - 13, at.y - 9);
    else
        fprintf(out, "<g><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" class=\"%s\"/>", at.x, at.y, SVG_NODE_RADIUS,
                rank == UINT32_MAX ? "i" : "e");
    put_node_title(layout->map, node, rank, out);
    char name[NODE_NAME_SIZE];
    if (node >= layout->map->result->endpoints)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", at.x, at.y + 3, node_number_name(layout->map->result, node, name));
    else if (rank != UINT32_MAX)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%u</text>", at.x, at.y + 3, rank);
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

static void put_scale(double top, FILE *out) {
    fputs("<defs><linearGradient id=\"scale\">", out);
    for (int i = 0; i < STOPS; i++) {
        fprintf(out, "<stop offset=\"%d%%\" stop-color=\"", 100 * i / (STOPS - 1));
        put_color((double)i / (STOPS - 1), out);
        fputs("\"/>", out);
    }
    fputs("</linearGradient></defs>\n", out);
    fprintf(out, "<rect x=\"20\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"url(#scale)\"/>\n", top, SCALE_WIDTH, SCALE_HEIGHT);
    for (int percent = 0; percent <= 100; percent += 25)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"n\">%d %%</text>\n", 20 + SCALE_WIDTH * percent / 100.0, top + SCALE_HEIGHT + 13,
                percent);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"l\">share of the time busy;</text>\n", 20 + SCALE_WIDTH + 24, top + 4);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"l\">links keep to the right</text>\n", 20 + SCALE_WIDTH + 24, top + 17);
}

void report_svg(const struct heat_map *map, FILE *out) {
    struct svg_layout layout = svg_layout_make(map);
    double text_width = 40 + 6.2 * (double)strlen(map->subtitle); // of the subtitle's letters, about
    double width = fmax(fmax(layout.width, text_width), LEAST_WIDTH), height = layout.height + HEADER + FOOTER;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", width, height,
            width, height);
    fputs("<style>text{font:9px sans-serif;text-anchor:middle;fill:#222}.h{font:bold 15px sans-serif;text-anchor:start}"
          ".l{font:11px sans-serif;text-anchor:start}.n{font:10px sans-serif}.e{fill:#fff;stroke:#444}.i{fill:#eee;stroke:#bbb}"
          ".s{fill:#eef2f8;stroke:#444}path{fill:none}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"20\" y=\"26\" class=\"h\">",
          out);
    put_escaped(map->title, out);
    fputs("</text>\n<text x=\"20\" y=\"44\" class=\"l\">", out);
    put_escaped(map->subtitle, out);
    fprintf(out, "</text>\n<g transform=\"translate(%.1f %d)\">\n", (width - layout.width) / 2, HEADER);
    put_links(&layout, out);
    put_nodes(&layout, out);
    put_slice_names(&layout, out);
    fputs("</g>\n", out);
    put_scale(HEADER + layout.height + 10, out);
    fputs("</svg>\n", out);
    svg_layout_free(&layout);
}
