#include "scenario/output.h"

#include <stddef.h>
#include <string.h>

enum { LINK_TRACE_BINS = 200, PERFETTO_LINKS = 16, PERFETTO_BINS = 500, PERFETTO_EVENTS = 400000, BINS_MOST = 1 << 20 };

static const char *const format_names[] = {"long", "wide", NULL};
static const char *const value_names[] = {"busy_share", "bytes", "queue_mean", "queue_peak", NULL};

static const struct field link_trace_fields[] = {
    {.name = "file",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct link_trace_output, file),
     .flags = FIELD_REQUIRED,
     .help = "the CSV file",
     .example = "\"links.csv\""},
    {.name = "bin",
     .kind = FIELD_TIME,
     .offset = offsetof(struct link_trace_output, bin_ticks),
     .fallback = -1,
     .min = 1,
     .max = INT64_MAX,
     .help = "the width of a bin of time; in place of \"bins\"",
     .example = "\"10us\""},
    {.name = "bins",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct link_trace_output, bins),
     .min = 2,
     .max = BINS_MOST,
     .help = "how many bins at most, and more than half of that: their width is a power of two ticks (200 where neither is given)",
     .example = "200"},
    {.name = "format",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct link_trace_output, format),
     .choices = format_names,
     .help = "a row for each bin and link with all columns, or a row for each bin with a column for each link",
     .example = "\"long\""},
    {.name = "value",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct link_trace_output, value),
     .choices = value_names,
     .help = "what the wide format shows",
     .example = "\"busy_share\""},
    {.name = "link",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct link_trace_output, link),
     .help = "one link (\"0->1\") or a pattern (\"s*->*\"); all that carried something where absent",
     .example = "\"0->1\""},
    {.name = "top",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct link_trace_output, top),
     .min = 1,
     .max = UINT32_MAX,
     .help = "only so many of these, the hottest first; all where absent",
     .example = "10"},
    {.name = NULL},
};

static const struct field perfetto_fields[] = {
    {.name = "file",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct perfetto_output, file),
     .flags = FIELD_REQUIRED,
     .help = "the file of trace events, for ui.perfetto.dev",
     .example = "\"run.json\""},
    {.name = "links",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct perfetto_output, links),
     .fallback = PERFETTO_LINKS,
     .min = 0,
     .max = 10000,
     .help = "how many links have a counter, the hottest first",
     .example = "16"},
    {.name = "bins",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct perfetto_output, bins),
     .fallback = PERFETTO_BINS,
     .min = 2,
     .max = 100000,
     .help = "bins of time of the counters, at most",
     .example = "500"},
    {.name = "messages",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(struct perfetto_output, messages),
     .help = "an arrow for each message",
     .example = "true"},
    {.name = "events",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct perfetto_output, most_events),
     .fallback = PERFETTO_EVENTS,
     .min = 1000,
     .max = 100000000,
     .help = "about how many slices and arrows at most; a larger run is thinned, and the file says so",
     .example = "400000"},
    {.name = NULL},
};

static const struct field messages_fields[] = {
    {.name = "file",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct messages_output, file),
     .flags = FIELD_REQUIRED,
     .help = "the CSV file",
     .example = "\"messages.csv\""},
    {.name = NULL},
};

static const struct field messages_scenario_fields[] = {
    {.name = "file",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct messages_scenario_output, file),
     .flags = FIELD_REQUIRED,
     .help = "the JSON file",
     .example = "\"messages.json\""},
    {.name = "after",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(struct messages_scenario_output, after),
     .fallback = true,
     .help = "messages posted at the instant in which their sender received others say so in place of the time",
     .example = "true"},
    {.name = NULL},
};

static const struct field waits_fields[] = {
    {.name = "file",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct waits_output, file),
     .flags = FIELD_REQUIRED,
     .help = "the CSV file",
     .example = "\"waits.csv\""},
    {.name = "top",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct waits_output, top),
     .min = 1,
     .max = UINT32_MAX,
     .help = "only so many pairs, those that waited longest; all where absent",
     .example = "100"},
    {.name = NULL},
};

const char *const heat_names[] = {"utilization", "bytes", "queue", NULL};

static const struct field svg_fields[] = {
    {.name = "file",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct svg_output, file),
     .flags = FIELD_REQUIRED,
     .help = "the SVG file",
     .example = "\"heat.svg\""},
    {.name = "heat",
     .kind = FIELD_CHOICE,
     .offset = offsetof(struct svg_output, heat),
     .choices = heat_names,
     .help = "what colours a link: the share of the time that it was busy, its bytes, or its peak queue",
     .example = "\"utilization\""},
    {.name = NULL},
};

const struct field output_fields[] = {
    {.name = "link_trace",
     .kind = FIELD_OBJECT,
     .offset = offsetof(struct output_config, link_trace),
     .fields = link_trace_fields,
     .word = "file",
     .help = "busy share, bytes and queue of each link over time",
     .example = "{\"bin\": \"10us\", \"file\": \"links.csv\"}"},
    {.name = "perfetto",
     .kind = FIELD_OBJECT,
     .offset = offsetof(struct output_config, perfetto),
     .fields = perfetto_fields,
     .word = "file",
     .help = "a trace of links, phases and steps for ui.perfetto.dev",
     .example = "\"run.json\""},
    {.name = "messages",
     .kind = FIELD_OBJECT,
     .offset = offsetof(struct output_config, messages),
     .fields = messages_fields,
     .word = "file",
     .help = "every message: when it was posted and delivered, and how much longer it took than on an idle network",
     .example = "\"messages.csv\""},
    {.name = "messages_scenario",
     .kind = FIELD_OBJECT,
     .offset = offsetof(struct output_config, messages_scenario),
     .fields = messages_scenario_fields,
     .word = "file",
     .help = "the same messages as a scenario of its own, which gives the same digest",
     .example = "\"messages.json\""},
    {.name = "waits",
     .kind = FIELD_OBJECT,
     .offset = offsetof(struct output_config, waits),
     .fields = waits_fields,
     .word = "file",
     .help = "who waited behind whom on which link, and how long",
     .example = "\"waits.csv\""},
    {.name = "svg",
     .kind = FIELD_OBJECT,
     .offset = offsetof(struct output_config, svg),
     .fields = svg_fields,
     .word = "file",
     .help = "a picture of the network, its links coloured by what they had to do",
     .example = "\"heat.svg\""},
    {.name = NULL},
};

bool output_check(const struct output_config *output, struct error *err) {
    const struct link_trace_output *trace = &output->link_trace;
    if (trace->bin_ticks > 0 && trace->bins > 0)
        return error_at(err, "link_trace/bins", "give the bins by their width (\"bin\") or by their number (\"bins\"), not both");
    const char *const files[] = {output->link_trace.file,        output->perfetto.file, output->messages.file,
                                 output->messages_scenario.file, output->waits.file,    output->svg.file};
    const char *const keys[] = {"link_trace", "perfetto", "messages", "messages_scenario", "waits", "svg"};
    enum { FILES = sizeof keys / sizeof *keys };
    for (int i = 0; i < FILES; i++)
        for (int j = 0; j < i; j++)
            if (files[i] && files[j] && !strcmp(files[i], files[j]))
                return error_at(err, keys[i], "the file \"%s\" is the one of \"%s\" too", files[i], keys[j]);
    return true;
}
