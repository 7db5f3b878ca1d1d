#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/columns.h"
#include "report/figures.h"
#include "report/header.h"
#include "report/workload.h"

char *utilization_bar(double utilization, bool color, char *out) {
    enum { WIDTH = 10 };
    int filled = (int)lround(utilization * WIDTH);
    if (filled > WIDTH) filled = WIDTH;
    const char *start = !color ? "" : utilization >= 0.9 ? "\033[1;33m" : utilization >= 0.5 ? "\033[33m" : "\033[34m";
    snprintf(out, BAR_SIZE, "%s%.*s%.*s%s", start, filled, "##########", WIDTH - filled, "..........", color ? "\033[0m" : "");
    return out;
}

char *format_share(double share, char *out) {
    if (isnan(share))
        snprintf(out, QUANTITY_SIZE, "-");
    else
        snprintf(out, QUANTITY_SIZE, "%.1f %%", 100 * share);
    return out;
}

static char *format_bandwidth(double bytes_per_s, char *out) {
    if (isnan(bytes_per_s))
        snprintf(out, QUANTITY_SIZE, "-");
    else
        format_rate(bytes_per_s, out);
    return out;
}

static void add_collective(struct columns *columns, const struct run_result *result, const struct collective_result *collective) {
    char text[QUANTITY_SIZE];
    bool ended = collective_ended(collective);
    columns_add(columns, "%s", collective_names[collective->args.kind]);
    columns_add(columns, "%s", collective->algorithm->name);
    columns_add(columns, "%u", collective->args.size);
    columns_add(columns, "%s", format_bytes((double)collective->args.bytes, text));
    if (collective->repeat > 1)
        columns_add(columns, "%u", collective->repeat);
    else
        columns_add(columns, "1");
    columns_add(columns, "%s", ended ? format_time(collective->end_ticks - collective->start_ticks, result->ticks_per_s, text) : "-");
    columns_add(columns, "%s", format_bandwidth(ended ? collective_algbw(result, collective) : (double)NAN, text));
    columns_add(columns, "%s", format_bandwidth(ended ? collective_busbw(result, collective) : (double)NAN, text));
    if (collective->bound.kind) {
        columns_add(columns, "%s", format_time(collective->bound.ticks, result->ticks_per_s, text));
        columns_add(columns, "%s", collective->bound.kind);
    } else {
        columns_add(columns, "-");
        columns_add(columns, "-");
    }
    columns_add(columns, "%s", format_share(collective_efficiency(collective), text));
}

/// Which algorithm auto took for a collective, and by how much over the next.
static void print_choice(const struct run_result *result, const struct collective_result *collective, FILE *out) {
    const struct choice *choice = &collective->choice;
    char time[QUANTITY_SIZE], next[QUANTITY_SIZE];
    if (!choice->algorithm) {
        fprintf(out, "  auto: none of %u candidates ran to its end; %s is the default\n", choice->candidates, collective->algorithm->name);
        return;
    }
    fprintf(out, "  auto: %s/%s is the fastest of %u alone, %s", collective_names[collective->args.kind], choice->algorithm->name,
            choice->candidates, format_time(choice->ticks, result->ticks_per_s, time));
    if (choice->next && choice->ticks > 0)
        fprintf(out, "; next %s, %s (%.2f times as long)", choice->next->name, format_time(choice->next_ticks, result->ticks_per_s, next),
                (double)choice->next_ticks / (double)choice->ticks);
    fputc('\n', out);
}

static void print_collectives(const struct run_result *result, FILE *out) {
    static const char *const titles[] = {"<collective", "<algorithm", "ranks",    "size",   "times",      "time",
                                         "algbw",       "busbw",      "at least", "<bound", "efficiency", NULL};
    enum { LISTED_MOST = 200 };
    if (result->collective_count == 0) return;
    struct columns columns;
    columns_start(&columns, titles);
    for (size_t i = 0; i < result->collective_count && i < LISTED_MOST; i++) add_collective(&columns, result, &result->collectives[i]);
    fputc('\n', out);
    columns_finish(&columns, out);
    for (size_t i = 0; i < result->collective_count && i < LISTED_MOST; i++)
        if (result->collectives[i].choice.candidates > 0) print_choice(result, &result->collectives[i], out);
    if (result->collective_count > LISTED_MOST)
        fprintf(out, "  … and %zu more (--json lists all)\n", result->collective_count - LISTED_MOST);
}

static void print_proof(const struct run_result *result, FILE *out) {
    if (result->proof == PROOF_PROVED)
        fprintf(out, "proved: every rank ended with every contribution exactly once (%" PRIu64 " collective%s)\n",
                result->proved_collectives, result->proved_collectives == 1 ? "" : "s");
    if (result->proof == PROOF_LEFT) fputs("not proved: more than a million messages (--proof on follows them all)\n", out);
    int64_t least, most;
    char low[QUANTITY_SIZE], high[QUANTITY_SIZE];
    bytes_sent_range(result, &least, &most);
    if (most > 0) fprintf(out, "a rank sent %s at least, %s at most\n", format_bytes((double)least, low), format_bytes((double)most, high));
}

static void print_status(const struct run_result *result, FILE *out) {
    char time[QUANTITY_SIZE], bytes[QUANTITY_SIZE], bound[QUANTITY_SIZE];
    format_time(result->makespan_ticks, result->ticks_per_s, time);
    fprintf(out, "\n%s %s %s: %" PRIu64 " messages, %" PRIu64 " chunks, %" PRIu64 " chunk-hops, %s on links\n",
            run_status_names[result->status], result->status == RUN_COMPLETE ? "in" : "at", time, result->messages, result->chunks,
            result->chunk_hops, format_bytes((double)result->bytes_on_links, bytes));
    if (result->status == RUN_COMPLETE && result->bound.kind)
        fprintf(out, "no run of these messages is faster than %s (%s bound)\n",
                format_time(result->bound.ticks, result->ticks_per_s, bound), result->bound.kind);
    if (result->has_alpha_beta && result->alpha_beta_ticks > 0)
        fprintf(out, "the alpha-beta model says %s, step by step: the run takes %.4g times as long\n",
                format_time(result->alpha_beta_ticks, result->ticks_per_s, bound),
                (double)result->makespan_ticks / (double)result->alpha_beta_ticks);
    print_proof(result, out);
    fprintf(out, "digest %016" PRIx64 "%016" PRIx64 "\n", result->digest.high, result->digest.low);
}

static void add_link(struct columns *columns, const struct run_result *result, const struct link_result *link, bool color) {
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE], text[QUANTITY_SIZE], bar[BAR_SIZE];
    double utilization = link_utilization(result, link);
    columns_add(columns, "%s -> %s", node_shown_name(result, link->from, from), node_shown_name(result, link->to, to));
    columns_add(columns, "%u", link->port);
    columns_add(columns, "%s", format_bytes((double)link->bytes, text));
    columns_add(columns, "%" PRIu64, link->chunks);
    columns_add(columns, "%s", format_time(link->busy_ticks, result->ticks_per_s, text));
    columns_add(columns, "%s", format_share(utilization, text));
    columns_add(columns, "%s", utilization_bar(utilization, color, bar));
    columns_add(columns, "%s", format_bytes((double)link->peak_queue_bytes, text));
}

static void print_links(const struct run_result *result, const uint32_t *links, uint32_t count, bool color, FILE *out) {
    static const char *const titles[] = {"<link", "port", "bytes", "chunks", "busy", "utilisation", "<", "peak queue", NULL};
    struct columns columns;
    columns_start(&columns, titles);
    for (uint32_t i = 0; i < count; i++) add_link(&columns, result, &result->links[links[i]], color);
    columns_finish(&columns, out);
}

static void print_hottest(const struct run_result *result, const struct table_style *style, FILE *out) {
    bool top = style->links_given && style->links.set == LINKS_TOP;
    uint32_t wanted = top ? style->links.count : HOTTEST_SHOWN;
    if (wanted > result->link_count) wanted = result->link_count;
    uint32_t *links = allocate(wanted * sizeof *links);
    uint32_t count = hottest_links(result, wanted, links);
    fprintf(out, "\nhottest links (%u of %u that carried something, %u in all)\n", count, links_used(result), result->link_count);
    if (count) print_links(result, links, count, style->color, out);
    free(links);
}

static void print_selected(const struct run_result *result, const struct table_style *style, FILE *out) {
    struct link_list list = link_list_select(result, style->links);
    fprintf(out, "\n%s links, by node and port\n", style->links.set == LINKS_ALL ? "all" : "used");
    if (list.count) print_links(result, list.links, list.count, style->color, out);
    if (list.omitted) fprintf(out, "  … the hottest; %" PRIu64 " more are left out\n", list.omitted);
    link_list_free(&list);
}

void report_table(const struct run_result *result, const json_t *scenario, const struct table_style *style, FILE *out) {
    report_header(scenario, NULL, result, out);
    print_collectives(result, out);
    print_status(result, out);
    print_figures(result, out);
    print_hottest(result, style, out);
    if (style->links_given && style->links.set != LINKS_TOP) print_selected(result, style, out);
}
