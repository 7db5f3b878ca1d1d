#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "algos/custom.h"
#include "report/assertions.h"
#include "report/figures.h"
#include "report/version.h"
#include "report/workload.h"

enum { RANKS_LISTED_MOST = 4096 };

void put_head(struct json_writer *json) {
    put_int(json, "schema_version", 1);
    put_open(json, "tool", '{');
    put_text(json, "name", "weft");
    put_text(json, "version", WEFT_VERSION);
    put_close(json, '}');
}

void put_time(struct json_writer *json, const char *key, int64_t ticks, int64_t ticks_per_s) {
    put_open(json, key, '{');
    put_int(json, "ticks", ticks);
    put_double(json, "seconds", (double)ticks / (double)ticks_per_s);
    put_close(json, '}');
}

void put_value(struct json_writer *json, const char *key, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    if (text)
        put_verbatim(json, key, text);
    else
        put_null(json, key);
    free(text);
}

void put_digest(struct json_writer *json, const char *key, struct digest digest) {
    char text[40];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, digest.high, digest.low);
    put_text(json, key, text);
}

static void write_bound(struct json_writer *json, const struct run_result *result, const struct lower_bound *bound) {
    if (!bound->kind) {
        put_null(json, "lower_bound");
        return;
    }
    put_open(json, "lower_bound", '{');
    put_double(json, "seconds", (double)bound->ticks / (double)result->ticks_per_s);
    put_text(json, "kind", bound->kind);
    put_close(json, '}');
}

static void write_rank_ends(struct json_writer *json, const struct collective_result *collective) {
    if (collective->args.size > RANKS_LISTED_MOST) return;
    put_open(json, "rank_end_ticks", '[');
    for (uint32_t r = 0; r < collective->args.size; r++) {
        if (collective->rank_end_ticks[r] < 0)
            put_null(json, NULL);
        else
            put_int(json, NULL, collective->rank_end_ticks[r]);
    }
    put_close(json, ']');
}

/// How "auto" was decided.
static void write_choice(struct json_writer *json, const struct run_result *result, const struct choice *choice) {
    put_open(json, "chosen", '{');
    put_uint(json, "candidates", choice->candidates);
    if (choice->algorithm) put_time(json, "alone", choice->ticks, result->ticks_per_s);
    if (choice->next) {
        put_text(json, "next", choice->next->name);
        put_time(json, "next_alone", choice->next_ticks, result->ticks_per_s);
    }
    put_close(json, '}');
}

static void write_collective(struct json_writer *json, const struct run_result *result, const struct collective_result *collective) {
    bool ended = collective_ended(collective);
    put_open(json, NULL, '{');
    put_text(json, "collective", collective_names[collective->args.kind]);
    put_text(json, "algorithm", collective->algorithm->name);
    if (collective->choice.candidates > 0) write_choice(json, result, &collective->choice);
    if (collective->args.custom) put_text(json, "schedule", collective->args.custom->name);
    put_uint(json, "ranks", collective->args.size);
    put_int(json, "bytes", collective->args.bytes);
    if (collective->repeat > 1) put_uint(json, "repeat", collective->repeat);
    put_time(json, "start", collective->start_ticks, result->ticks_per_s);
    if (ended)
        put_time(json, "end", collective->end_ticks, result->ticks_per_s);
    else
        put_null(json, "end");
    put_double(json, "algbw", ended ? collective_algbw(result, collective) : (double)NAN);
    put_double(json, "busbw", ended ? collective_busbw(result, collective) : (double)NAN);
    write_rank_ends(json, collective);
    write_bound(json, result, &collective->bound);
    put_double(json, "efficiency", collective_efficiency(collective));
    put_close(json, '}');
}

/// What shortcuts were taken, where any was.
static void write_savings(struct json_writer *json, const struct run_result *result) {
    bool any = false;
    for (int s = 0; s < SHORTCUT_COUNT; s++) any = any || result->savings[s].uses > 0;
    if (!any) return;
    put_open(json, "shortcuts", '{');
    for (int s = 0; s < SHORTCUT_COUNT; s++) {
        const struct shortcut_saving *saving = &result->savings[s];
        if (saving->uses == 0) continue;
        put_open(json, shortcut_names[s], '{');
        put_uint(json, "uses", saving->uses);
        put_uint(json, "messages", saving->messages);
        put_uint(json, "chunk_hops", saving->chunk_hops);
        if (saving->rounds > 0) put_uint(json, "rounds", saving->rounds);
        put_close(json, '}');
    }
    put_close(json, '}');
}

static void write_totals(struct json_writer *json, const struct run_result *result) {
    put_open(json, "totals", '{');
    put_uint(json, "messages", result->messages);
    put_uint(json, "chunks", result->chunks);
    put_uint(json, "chunk_hops", result->chunk_hops);
    put_uint(json, "bytes_on_links", result->bytes_on_links);
    if (result->no_digest)
        put_null(json, "digest");
    else
        put_digest(json, "digest", result->digest);
    if (result->has_orbit_digest) put_digest(json, "orbit_digest", result->orbit_digest);
    put_close(json, '}');
    write_savings(json, result);
    if (result->threads > 1) put_uint(json, "threads", result->threads);
    if (result->has_alpha_beta) put_time(json, "alpha_beta", result->alpha_beta_ticks, result->ticks_per_s);
    put_text(json, "proof", proof_state_names[result->proof]);
    int64_t least, most;
    bytes_sent_range(result, &least, &most);
    put_open(json, "bytes_sent_per_rank", '{');
    put_int(json, "min", least);
    put_int(json, "max", most);
    put_close(json, '}');
}

static void write_name(struct json_writer *json, const struct run_result *result, const char *key, uint32_t node) {
    if (result->node_names && result->node_names[node]) put_text(json, key, result->node_names[node]);
}

static void write_link(struct json_writer *json, const struct run_result *result, const struct link_result *link) {
    char name[NODE_NAME_SIZE];
    put_open(json, NULL, '{');
    put_text(json, "from", node_number_name(result, link->from, name));
    write_name(json, result, "from_name", link->from);
    put_text(json, "to", node_number_name(result, link->to, name));
    write_name(json, result, "to_name", link->to);
    put_uint(json, "port", link->port);
    put_uint(json, "bytes", link->bytes);
    put_uint(json, "chunks", link->chunks);
    put_int(json, "busy_ticks", link->busy_ticks);
    put_double(json, "utilization", link_utilization(result, link));
    put_int(json, "peak_queue_bytes", link->peak_queue_bytes);
    put_close(json, '}');
}

static void write_links(struct json_writer *json, const struct run_result *result, struct link_selection selection) {
    struct link_list list = link_list_select(result, selection);
    put_open(json, "links", '[');
    for (uint32_t i = 0; i < list.count; i++) {
        const struct link_result link = link_result_of(result, list.links[i]);
        write_link(json, result, &link);
    }
    put_close(json, ']');
    if (list.omitted) put_uint(json, "links_omitted", list.omitted);
    link_list_free(&list);
}

/// A run that did not complete has no makespan: only the time that it got to.
static void write_end(struct json_writer *json, const struct run_result *result) {
    if (result->status == RUN_COMPLETE) {
        put_time(json, "makespan", result->makespan_ticks, result->ticks_per_s);
        return;
    }
    put_null(json, "makespan");
    put_time(json, "stopped_at", result->makespan_ticks, result->ticks_per_s);
    put_text(json, "error", result->error.text[0] ? result->error.text : "stopped by a signal");
}

void report_json(const struct run_result *result, const json_t *scenario, struct link_selection links, FILE *out) {
    struct json_writer json = {.out = out, .folded_depth = 2};
    put_open(&json, NULL, '{');
    put_head(&json);
    put_text(&json, "status", run_status_names[result->status]);
    put_uint(&json, "seed", result->seed);
    put_value(&json, "scenario", scenario);
    write_end(&json, result);
    put_open(&json, "collectives", '[');
    for (size_t i = 0; i < result->collective_count; i++) write_collective(&json, result, &result->collectives[i]);
    put_close(&json, ']');
    write_totals(&json, result);
    if (result->figures.count > 0) write_figures(&json, "workload", result);
    if (result->assertion_count > 0) write_assertions(&json, result);
    write_links(&json, result, links);
    put_close(&json, '}');
}
