#include "report/topology.h"

#include <inttypes.h>

#include "base/units.h"
#include "report/describe.h"
#include "report/json.h"
#include "report/sheet.h"

void report_network_table(const struct network_figures *figures, const json_t *topology, FILE *out) {
    char line[400], there[QUANTITY_SIZE], back[QUANTITY_SIZE];
    fprintf(out, "network     %s\n", describe_json(topology, NULL, line, sizeof line));
    fprintf(out, "endpoints   %" PRIu64 "\nswitches    %" PRIu64 "\n", figures->endpoints, figures->switches);
    fprintf(out, "links       %" PRIu64 " (directed)\ncables      %" PRIu64 "\n", figures->links, figures->cables);
    if (figures->hops_known)
        fprintf(out, "diameter    %u hops\nmean hops   %.6g\n", figures->diameter, figures->mean_hops);
    else
        fprintf(out, "diameter    not known: the network is too large to walk all routes\n");
    if (figures->bisection_known)
        fprintf(out, "bisection   %" PRIu64 " cables, %s one way and %s back\n", figures->bisection_cables,
                format_rate(figures->cut_bytes_per_s[0], there), format_rate(figures->cut_bytes_per_s[1], back));
    else
        fprintf(out, "bisection   not known: the network is too large to search\n");
}

static void put_hops(struct json_writer *json, const struct network_figures *figures) {
    if (figures->hops_known) {
        put_uint(json, "diameter", figures->diameter);
        put_double(json, "mean_hops", figures->mean_hops);
    } else {
        put_null(json, "diameter");
        put_null(json, "mean_hops");
    }
}

static void put_bisection(struct json_writer *json, const struct network_figures *figures) {
    if (!figures->bisection_known) {
        put_null(json, "bisection");
        return;
    }
    put_open(json, "bisection", '{');
    put_uint(json, "cables", figures->bisection_cables);
    put_open(json, "bytes_per_s", '[');
    put_double(json, NULL, figures->cut_bytes_per_s[0]);
    put_double(json, NULL, figures->cut_bytes_per_s[1]);
    put_close(json, ']');
    put_close(json, '}');
}

void report_network_json(const struct network_figures *figures, const json_t *topology, FILE *out) {
    struct json_writer json = {.out = out, .folded_depth = 1};
    put_open(&json, NULL, '{');
    put_head(&json);
    put_value(&json, "topology", topology);
    put_uint(&json, "endpoints", figures->endpoints);
    put_uint(&json, "switches", figures->switches);
    put_uint(&json, "links", figures->links);
    put_uint(&json, "cables", figures->cables);
    put_hops(&json, figures);
    put_bisection(&json, figures);
    put_close(&json, '}');
}

static int64_t summed_latency(const struct route_figures *route) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < route->count; i++) sum += route->hops[i].latency_ticks;
    return sum;
}

void report_route_table(const struct route_figures *route, FILE *out) {
    struct sheet sheet;
    char text[QUANTITY_SIZE];
    fprintf(out, "%s to %s: %u hops, %s of latency in all\n", route->from, route->to, route->count,
            format_time(summed_latency(route), route->ticks_per_s, text));
    if (!route->count) return;
    sheet_start(&sheet, SHEET_TEXT, false, out);
    sheet_add_columns(&sheet, hop_columns);
    sheet_begin(&sheet);
    for (uint32_t i = 0; i < route->count; i++) {
        const struct route_hop *hop = &route->hops[i];
        sheet_count(&sheet, i + 1);
        sheet_text(&sheet, "%s -> %s", hop->from, hop->to);
        sheet_count(&sheet, hop->from_port);
        sheet_count(&sheet, hop->to_port);
        sheet_number(&sheet, (double)hop->bandwidth_bytes_per_s);
        sheet_time(&sheet, hop->latency_ticks, route->ticks_per_s);
    }
    sheet_finish(&sheet);
}

void report_route_json(const struct route_figures *route, FILE *out) {
    struct json_writer json = {.out = out, .folded_depth = 2};
    put_open(&json, NULL, '{');
    put_head(&json);
    put_text(&json, "from", route->from);
    put_text(&json, "to", route->to);
    put_open(&json, "hops", '[');
    for (uint32_t i = 0; i < route->count; i++) {
        const struct route_hop *hop = &route->hops[i];
        put_open(&json, NULL, '{');
        put_text(&json, "from", hop->from);
        put_text(&json, "to", hop->to);
        put_uint(&json, "port", hop->from_port);
        put_uint(&json, "to_port", hop->to_port);
        put_int(&json, "bandwidth_bytes_per_s", hop->bandwidth_bytes_per_s);
        put_time(&json, "latency", hop->latency_ticks, route->ticks_per_s);
        put_close(&json, '}');
    }
    put_close(&json, ']');
    put_time(&json, "latency", summed_latency(route), route->ticks_per_s);
    put_close(&json, '}');
}
