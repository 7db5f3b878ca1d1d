#include "report/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "record/ideal_time.h"
#include "record/link_trace.h"
#include "record/message_log.h"
#include "record/named_links.h"
#include "record/phases.h"
#include "record/waits.h"
#include "report/file.h"
#include "report/link_trace.h"
#include "report/messages_scenario.h"
#include "report/perfetto.h"
#include "report/picture.h"
#include "report/waits.h"

/// Bins of a given width: for one link, and for all together (48 bytes each).
enum { DEFAULT_BINS = 200, MOST_BINS = 1 << 20, MOST_BINS_IN_ALL = 1 << 24, LEAST_BINS = 1 << 10 };

struct outputs {
    const struct experiment *experiment;
    const struct output_config *config;
    struct link_trace *links, *counters; ///< of link_trace and of perfetto; NULL: not asked for, likewise below
    struct phases *phases;
    struct message_log *messages;
    struct waits *waits;
    bool needs_slowdown;
    struct slowdown slowdown;
    struct wait_list wait_list;
};

static const struct graph *graph_of(const struct outputs *outputs) { return &outputs->experiment->topology->graph; }

static void add(struct observers *observers, struct recorder recorder) { observers_add(observers, &recorder); }

/// So many bins of a given width may a link have.
static int64_t most_bins(uint32_t links) {
    int64_t most = MOST_BINS_IN_ALL / (links > 0 ? links : 1);
    return most > MOST_BINS ? MOST_BINS : most < LEAST_BINS ? LEAST_BINS : most;
}

static void start_link_trace(struct outputs *outputs, struct observers *observers) {
    const struct link_trace_output *config = &outputs->config->link_trace;
    uint32_t links = graph_of(outputs)->link_count;
    struct bin_rule rule = {1, config->bins > 0 ? config->bins : DEFAULT_BINS};
    if (config->bin_ticks > 0) rule = (struct bin_rule){config->bin_ticks, most_bins(links)};
    outputs->links = link_trace_create(links, rule);
    add(observers, link_trace_recorder(outputs->links));
}

static void start_perfetto(struct outputs *outputs, struct observers *observers) {
    const struct perfetto_output *config = &outputs->config->perfetto;
    outputs->counters = link_trace_create(graph_of(outputs)->link_count, (struct bin_rule){1, config->bins});
    // an arrow takes four events
    outputs->phases = phases_create(outputs->experiment->ranks, (size_t)(config->messages ? config->most_events / 2 : config->most_events));
    add(observers, link_trace_recorder(outputs->counters));
    add(observers, phases_recorder(outputs->phases));
}

static bool asserts_slowdown(const struct scenario *scenario) {
    for (size_t i = 0; i < scenario->assert_texts.count; i++)
        if (scenario->assertions[i].subject == SUBJECT_SLOWDOWN) return true;
    return false;
}

struct outputs *outputs_create(const struct experiment *experiment, struct observers *observers) {
    struct outputs *outputs = allocate_zeroed(1, sizeof *outputs);
    outputs->experiment = experiment;
    outputs->config = &experiment->scenario->output;
    if (outputs->config->link_trace.file) start_link_trace(outputs, observers);
    if (outputs->config->perfetto.file) start_perfetto(outputs, observers);
    outputs->needs_slowdown = outputs->config->messages.file || asserts_slowdown(experiment->scenario);
    if (outputs->needs_slowdown || outputs->config->messages_scenario.file ||
        (outputs->config->perfetto.file && outputs->config->perfetto.messages)) {
        outputs->messages = message_log_create();
        add(observers, message_log_recorder(outputs->messages));
    }
    if (outputs->config->waits.file) {
        outputs->waits = waits_create(graph_of(outputs)->link_count);
        add(observers, waits_recorder(outputs->waits));
    }
    return outputs;
}

void outputs_free(struct outputs *outputs) {
    if (!outputs) return;
    link_trace_free(outputs->links);
    link_trace_free(outputs->counters);
    phases_free(outputs->phases);
    message_log_free(outputs->messages);
    waits_free(outputs->waits);
    free(outputs);
}

// ---- writing

static void finish_recorders(struct outputs *outputs, const struct run_result *result) {
    if (outputs->links) link_trace_finish(outputs->links, result->makespan_ticks);
    if (outputs->counters) link_trace_finish(outputs->counters, result->makespan_ticks);
    if (outputs->phases) phases_finish(outputs->phases, result->makespan_ticks, result->status == RUN_STALLED);
    if (outputs->messages) message_log_finish(outputs->messages);
    if (!outputs->waits) return;
    outputs->wait_list = (struct wait_list){.graph = graph_of(outputs), .ticks_per_s = result->ticks_per_s};
    outputs->wait_list.count = waits_finish(outputs->waits, &outputs->wait_list.pairs);
}

/// Paths in a scenario start from its folder; the caller frees them.
static char *file_path(const struct outputs *outputs, const char *name) {
    const char *directory = outputs->experiment->scenario->directory;
    bool below = *name != '/' && directory && *directory;
    size_t size = strlen(name) + (below ? strlen(directory) : 0) + 2;
    char *path = allocate(size);
    snprintf(path, size, "%s%s%s", below ? directory : "", below ? "/" : "", name);
    return path;
}

static bool open_file(const struct outputs *outputs, const char *name, struct output_file *file, struct error *err) {
    char *path = file_path(outputs, name);
    bool good = output_file_open(file, path, err);
    free(path);
    return good;
}

static void write_link_trace(struct outputs *outputs, const struct run_result *result, struct error *err) {
    const struct link_trace_output *config = &outputs->config->link_trace;
    struct output_file file;
    if (!open_file(outputs, config->file, &file, err)) return;
    struct named_links links = named_links_choose(graph_of(outputs), result, config->link, config->top);
    report_link_trace(outputs->links, &links, config, result->ticks_per_s, file.stream);
    named_links_free(&links);
    output_file_close(&file, err);
}

static void write_perfetto(struct outputs *outputs, const struct run_result *result, struct error *err) {
    const struct perfetto_output *config = &outputs->config->perfetto;
    struct output_file file;
    if (!open_file(outputs, config->file, &file, err)) return;
    struct named_links links = {0};
    if (config->links > 0) links = named_links_choose(graph_of(outputs), result, NULL, config->links);
    const struct perfetto_source source = {
        .result = result,
        .phases = outputs->phases,
        .trace = outputs->counters,
        .links = &links,
        .messages = config->messages ? outputs->messages : NULL,
        .most_arrows = config->most_events / 8,
        .name = outputs->experiment->scenario->name,
    };
    report_perfetto(&source, file.stream);
    named_links_free(&links);
    output_file_close(&file, err);
}

static void write_messages(struct outputs *outputs, const struct run_result *result, struct error *err) {
    const struct topology *topology = outputs->experiment->topology;
    const struct sim_config config = experiment_sim_config(outputs->experiment);
    struct output_file file;
    const char *name = outputs->config->messages.file;
    bool opened = name && open_file(outputs, name, &file, err);
    struct ideal_time *ideal = ideal_time_create(&topology->graph, &topology->router, &config);
    outputs->slowdown = report_messages(outputs->messages, ideal, result, opened ? file.stream : NULL);
    ideal_time_free(ideal);
    if (opened) output_file_close(&file, err);
}

static void write_messages_scenario(struct outputs *outputs, struct error *err) {
    const struct messages_scenario_output *config = &outputs->config->messages_scenario;
    if (!messages_scenario_possible(outputs->messages, config->file, err)) return;
    struct output_file file;
    if (!open_file(outputs, config->file, &file, err)) return;
    report_messages_scenario(outputs->messages, outputs->experiment->scenario, config->after, file.stream);
    output_file_close(&file, err);
}

static void write_waits(struct outputs *outputs, struct error *err) {
    struct output_file file;
    if (!open_file(outputs, outputs->config->waits.file, &file, err)) return;
    report_waits(&outputs->wait_list, outputs->config->waits.top, file.stream);
    output_file_close(&file, err);
}

static void write_svg(struct outputs *outputs, const struct run_result *result, struct error *err) {
    const struct svg_output *config = &outputs->config->svg;
    char *path = file_path(outputs, config->file);
    picture_write(path, (enum heat)config->heat, outputs->experiment, result, err);
    free(path);
}

bool outputs_write(struct outputs *outputs, const struct run_result *result, struct error *err) {
    finish_recorders(outputs, result);
    if (outputs->links) write_link_trace(outputs, result, err);
    if (outputs->phases) write_perfetto(outputs, result, err);
    if (outputs->needs_slowdown) write_messages(outputs, result, err);
    if (outputs->config->messages_scenario.file) write_messages_scenario(outputs, err);
    if (outputs->waits) write_waits(outputs, err);
    if (outputs->config->svg.file) write_svg(outputs, result, err);
    return err->kind == ERROR_NONE;
}

void outputs_summary(const struct outputs *outputs, enum sheet_format format, FILE *out) {
    report_slowdown(&outputs->slowdown, out);
    if (outputs->waits) report_waits_table(&outputs->wait_list, format, out);
}

const struct slowdown *outputs_slowdown(const struct outputs *outputs) { return &outputs->slowdown; }

void outputs_warn(const struct outputs *outputs, FILE *messages) {
    const struct link_trace_output *config = &outputs->config->link_trace;
    char asked[QUANTITY_SIZE], taken[QUANTITY_SIZE];
    if (!outputs->links || config->bin_ticks < 1 || link_trace_bin_ticks(outputs->links) == config->bin_ticks) return;
    int64_t ticks_per_s = outputs->experiment->scenario->ticks_per_s;
    fprintf(messages, "weft: %s: bins of %s would be more than %lld a link; they are %s wide\n", config->file,
            format_time_exact(config->bin_ticks, ticks_per_s, asked), (long long)most_bins(graph_of(outputs)->link_count),
            format_time_exact(link_trace_bin_ticks(outputs->links), ticks_per_s, taken));
}
