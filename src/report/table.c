#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/assertions.h"
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

static void add_collective(struct sheet *sheet, const struct run_result *result, const struct collective_result *collective) {
    bool ended = collective_ended(collective);
    sheet_text(sheet, "%s", collective_names[collective->args.kind]);
    sheet_text(sheet, "%s", collective->algorithm->name);
    sheet_count(sheet, collective->args.size);
    sheet_count(sheet, (uint64_t)collective->args.bytes);
    sheet_count(sheet, collective->repeat > 1 ? collective->repeat : 1);
    sheet_time(sheet, collective->start_ticks, result->ticks_per_s);
    if (ended)
        sheet_time(sheet, collective->end_ticks - collective->start_ticks, result->ticks_per_s);
    else
        sheet_none(sheet, 1);
    sheet_number(sheet, ended ? collective_algbw(result, collective) : (double)NAN);
    sheet_number(sheet, ended ? collective_busbw(result, collective) : (double)NAN);
    if (collective->bound.kind) {
        sheet_time(sheet, collective->bound.ticks, result->ticks_per_s);
        sheet_text(sheet, "%s", collective->bound.kind);
    } else {
        sheet_none(sheet, 2);
    }
    sheet_number(sheet, collective_efficiency(collective));
}

static void print_collectives(const struct run_result *result, size_t most, enum sheet_format format, FILE *out) {
    struct sheet sheet;
    sheet_start(&sheet, format, false, out);
    sheet_add_columns(&sheet, collective_columns);
    sheet_begin(&sheet);
    for (size_t i = 0; i < result->collective_count && i < most; i++) add_collective(&sheet, result, &result->collectives[i]);
    sheet_finish(&sheet);
}

/// Which algorithm auto took for a collective, and by how much over the next.
static void print_choice(const struct run_result *result, const struct collective_result *collective, enum sheet_format format, FILE *out) {
    const struct choice *choice = &collective->choice;
    char time[QUANTITY_SIZE], next[QUANTITY_SIZE];
    if (format == SHEET_MARKDOWN) fputc('\n', out);
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

static void show_collectives(const struct run_result *result, enum sheet_format format, FILE *out) {
    enum { LISTED_MOST = 200 };
    if (result->collective_count == 0) return;
    fputs(format == SHEET_MARKDOWN ? "\n### Collectives\n\n" : "\n", out);
    print_collectives(result, LISTED_MOST, format, out);
    for (size_t i = 0; i < result->collective_count && i < LISTED_MOST; i++)
        if (result->collectives[i].choice.candidates > 0) print_choice(result, &result->collectives[i], format, out);
    if (result->collective_count > LISTED_MOST)
        fprintf(out, "  … and %zu more (--csv and --json list all)\n", result->collective_count - LISTED_MOST);
}

static void print_proof(const struct run_result *result, FILE *out) {
    if (result->proof == PROOF_PROVED)
        fprintf(out, "proved: every rank ended with every contribution exactly once (%" PRIu64 " collective%s)\n",
                result->proved_collectives, result->proved_collectives == 1 ? "" : "s");
    if (result->proof == PROOF_LEFT)
        fputs(result->savings[SHORTCUT_SYMMETRY].uses > 0
                  ? "not proved: representatives were simulated (--proof on simulates and follows all)\n"
                  : "not proved: more than a million messages (--proof on follows them all)\n",
              out);
    int64_t least, most;
    char low[QUANTITY_SIZE], high[QUANTITY_SIZE];
    bytes_sent_range(result, &least, &most);
    if (most > 0) fprintf(out, "a rank sent %s at least, %s at most\n", format_bytes((double)least, low), format_bytes((double)most, high));
}

static void print_alpha_beta(const struct run_result *result, FILE *out) {
    char time[QUANTITY_SIZE];
    if (!result->has_alpha_beta) return;
    fprintf(out, "the alpha-beta model says %s, step by step", format_time(result->alpha_beta_ticks, result->ticks_per_s, time));
    if (result->alpha_beta_ticks > 0 && result->alpha_beta_ticks != result->makespan_ticks)
        fprintf(out, ": the run takes %.4g times as long", (double)result->makespan_ticks / (double)result->alpha_beta_ticks);
    fputc('\n', out);
}

/// "replay: 159 collectives, 157 rounds of them as one, and so 8904 messages and 71232 chunk-hops without simulating each"; a solo message
/// is one message.
static void print_savings(const struct run_result *result, FILE *out) {
    static const char *const units[] = {"message", "collective", "representative"};
    for (int s = 0; s < SHORTCUT_COUNT; s++) {
        const struct shortcut_saving *saving = &result->savings[s];
        if (saving->uses == 0) continue;
        fprintf(out, "%s: %" PRIu64 " %s%s, ", shortcut_names[s], saving->uses, units[s], saving->uses == 1 ? "" : "s");
        if (saving->rounds > 0) fprintf(out, "%" PRIu64 " rounds of them as one, ", saving->rounds);
        if (s != SHORTCUT_SOLO) fprintf(out, "and so %" PRIu64 " messages and ", saving->messages);
        fprintf(out, "%s%" PRIu64 " chunk-hops without simulating each\n", s == SHORTCUT_SOLO ? "and so " : "", saving->chunk_hops);
    }
}

static void print_threads(const struct run_result *result, FILE *out) {
    if (result->threads > 1) fprintf(out, "threads: %" PRIu32 ", each simulated a part of the network\n", result->threads);
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
    print_alpha_beta(result, out);
    print_proof(result, out);
    print_savings(result, out);
    print_threads(result, out);
    const struct digest *digest = result->no_digest ? &result->orbit_digest : &result->digest;
    fprintf(out, "%sdigest %016" PRIx64 "%016" PRIx64 "\n", result->no_digest ? "orbit " : "", digest->high, digest->low);
}

static void add_link(struct sheet *sheet, const struct run_result *result, const struct link_result *link) {
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE];
    const char *shown_from = node_shown_name(result, link->from, from), *shown_to = node_shown_name(result, link->to, to);
    double utilization = link_utilization(result, link);
    sheet_text(sheet, "%s -> %s", shown_from, shown_to);
    sheet_text(sheet, "%s", shown_from);
    sheet_text(sheet, "%s", shown_to);
    sheet_count(sheet, link->port);
    sheet_count(sheet, link->bytes);
    sheet_count(sheet, link->chunks);
    sheet_time(sheet, link->busy_ticks, result->ticks_per_s);
    sheet_number(sheet, utilization);
    sheet_number(sheet, utilization);
    sheet_count(sheet, (uint64_t)link->peak_queue_bytes);
}

struct link_numbers {
    const uint32_t *numbers;
    uint32_t count;
};

static void print_links(const struct run_result *result, struct link_numbers links, enum sheet_format format, bool color, FILE *out) {
    struct sheet sheet;
    sheet_start(&sheet, format, color, out);
    sheet_add_columns(&sheet, link_columns);
    sheet_begin(&sheet);
    for (uint32_t i = 0; i < links.count; i++) {
        const struct link_result link = link_result_of(result, links.numbers[i]);
        add_link(&sheet, result, &link);
    }
    sheet_finish(&sheet);
}

static void print_hottest(const struct run_result *result, const struct table_style *style, FILE *out) {
    bool top = style->links_given && style->links.set == LINKS_TOP;
    uint32_t wanted = top ? style->links.count : HOTTEST_SHOWN;
    if (wanted > result->link_count) wanted = result->link_count;
    uint32_t *links = allocate(wanted * sizeof *links);
    uint32_t count = hottest_links(result, wanted, links);
    const char *end = style->format == SHEET_MARKDOWN ? "\n\n" : "\n";
    fprintf(out, "\n%sottest links (%u of %u that carried something, %u in all)%s", style->format == SHEET_MARKDOWN ? "### H" : "h", count,
            links_used(result), result->link_count, end);
    if (count) print_links(result, (struct link_numbers){links, count}, style->format, style->color, out);
    free(links);
}

static void print_selected(const struct run_result *result, const struct table_style *style, FILE *out) {
    struct link_list list = link_list_select(result, style->links);
    const char *which = style->links.set == LINKS_ALL ? "all" : "used";
    fprintf(out, style->format == SHEET_MARKDOWN ? "\n### Links by node and port: %s\n\n" : "\n%s links, by node and port\n", which);
    if (list.count) print_links(result, (struct link_numbers){list.links, list.count}, style->format, style->color, out);
    if (list.omitted) fprintf(out, "  … the hottest; %" PRIu64 " more are left out (--csv=links lists all)\n", list.omitted);
    link_list_free(&list);
}

void report_csv(const struct run_result *result, enum run_csv which, struct link_selection links, FILE *out) {
    if (which == CSV_COLLECTIVES) {
        print_collectives(result, SIZE_MAX, SHEET_CSV, out);
        return;
    }
    struct link_list list = link_list_whole(result, links);
    print_links(result, (struct link_numbers){list.links, list.count}, SHEET_CSV, false, out);
    link_list_free(&list);
}

static void print_totals(const struct run_result *result, enum sheet_format format, bool utf8, FILE *out) {
    if (format == SHEET_MARKDOWN) fputs("\n```", out);
    print_status(result, out);
    print_figures(result, out);
    print_assertions(result, utf8, out);
    if (format == SHEET_MARKDOWN) fputs("```\n", out);
}

void report_table(const struct run_result *result, const json_t *scenario, const struct table_style *style, FILE *out) {
    report_header(scenario, NULL, result, style->format, out);
    show_collectives(result, style->format, out);
    print_totals(result, style->format, style->utf8, out);
    print_hottest(result, style, out);
    if (style->links_given && style->links.set != LINKS_TOP) print_selected(result, style, out);
}
