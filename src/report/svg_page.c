#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/svg.h"

enum { MARGIN = 20, GAP = 16, FOOTER = 62, SCALE_WIDTH = 260, SCALE_HEIGHT = 12, LEAST_WIDTH = 660, ROW_WIDTH = 2000, TICKS = 4 };

/// From light to dark with steadily falling luminance: told apart in every kind of colour blindness and in grey.
static const unsigned char palette[][3] = {{228, 231, 238}, {250, 212, 126}, {240, 148, 84}, {200, 72, 92}, {116, 28, 112}, {32, 10, 60}};
enum { STOPS = sizeof palette / sizeof *palette };

const char *const heat_names[] = {"utilization", "bytes", "queue", NULL};

char *heat_color(double share, char out[COLOR_SIZE]) {
    double at = fmin(fmax(share, 0), 1) * (STOPS - 1);
    int low = at >= STOPS - 1 ? STOPS - 2 : (int)at, parts[3];
    for (int c = 0; c < 3; c++) parts[c] = (int)lround(palette[low][c] + (at - low) * (palette[low + 1][c] - palette[low][c]));
    snprintf(out, COLOR_SIZE, "#%02x%02x%02x", parts[0] & 255, parts[1] & 255, parts[2] & 255);
    return out;
}

static void put_tick(enum heat heat, double share, double most, double top, FILE *out) {
    char text[QUANTITY_SIZE];
    if (heat == HEAT_UTILIZATION)
        snprintf(text, sizeof text, "%.0f %%", 100 * share * most);
    else
        format_bytes(round(share * most), text);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"n\">%s</text>\n", 2 * MARGIN + SCALE_WIDTH * share, top + SCALE_HEIGHT + 13, text);
}

static void put_scale(enum heat heat, double most, double top, FILE *out) {
    static const char *const meanings[] = {"share of the time a link is busy", "bytes a link carried", "peak queue of a link"};
    char color[COLOR_SIZE];
    fputs("<defs><linearGradient id=\"scale\">", out);
    for (int i = 0; i < STOPS; i++)
        fprintf(out, "<stop offset=\"%d%%\" stop-color=\"%s\"/>", 100 * i / (STOPS - 1), heat_color((double)i / (STOPS - 1), color));
    fputs("</linearGradient></defs>\n", out);
    fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"url(#scale)\"/>\n", 2 * MARGIN, top, SCALE_WIDTH,
            SCALE_HEIGHT);
    for (int i = 0; i <= TICKS; i += most > 0 ? 1 : TICKS + 1) put_tick(heat, (double)i / TICKS, most, top, out);
    int x = 2 * MARGIN + SCALE_WIDTH + 34;
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"l\">%s;</text>\n", x, top + 6, meanings[heat]);
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" class=\"l\">traffic keeps to the right of a cable; circles show ranks</text>\n", x, top + 20);
}

/// Places panels in rows; returns the size of all.
static struct svg_panel place(const struct svg_panel *panels, size_t count, double *x, double *y) {
    struct svg_panel page = {.width = LEAST_WIDTH};
    double at_x = 0, at_y = 0, row = 0;
    for (size_t i = 0; i < count; i++) {
        if (at_x > 0 && at_x + panels[i].width > ROW_WIDTH) at_x = 0, at_y += row + GAP, row = 0;
        x[i] = at_x, y[i] = at_y;
        at_x += panels[i].width + GAP;
        row = fmax(row, panels[i].height);
        page.width = fmax(page.width, at_x - GAP);
    }
    page.height = at_y + row;
    return page;
}

void svg_page_print(const struct svg_panel *panels, size_t count, enum heat heat, double most, FILE *out) {
    double *x = allocate_zeroed(count + 1, sizeof *x), *y = allocate_zeroed(count + 1, sizeof *y);
    struct svg_panel page = place(panels, count, x, y);
    double height = page.height + FOOTER;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", page.width,
            height, page.width, height);
    fputs("<style>text{font:9px sans-serif;text-anchor:middle;fill:#222}.h{font:bold 15px sans-serif;text-anchor:start}"
          ".l{font:11px sans-serif;text-anchor:start}.n{font:10px "
          "sans-serif}.m{font-size:7px}.u{paint-order:stroke;stroke:#fff;stroke-width:3px}.e{fill:#fff;stroke:#444}"
          ".i{fill:#eee;stroke:#bbb}.s{fill:#eef2f8;stroke:#444}.b{fill:#f7f8fa;stroke:#c8ccd4}path{fill:none}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<g transform=\"translate(%.1f %.1f)\">\n", x[i], y[i]);
        fwrite(panels[i].text, 1, panels[i].size, out);
        fputs("</g>\n", out);
    }
    put_scale(heat, most, page.height + 10, out);
    fputs("</svg>\n", out);
    free(x);
    free(y);
}

void report_svg(const struct heat_map *map, FILE *out) {
    struct svg_panel panel = svg_panel_draw(map);
    svg_page_print(&panel, 1, map->heat, map->most, out);
    free(panel.text);
}
