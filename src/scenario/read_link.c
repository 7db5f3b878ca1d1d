// A link: {"bandwidth", "latency"}, {"bandwidth", "alpha"}, or the name of a preset.
#include <string.h>

#include "base/units.h"
#include "scenario/link_presets.h"
#include "scenario/reader.h"
#include "scenario/tables.h"

struct link_keys {
    uint64_t given;
    int64_t bandwidth_bytes_per_s;
    int64_t latency_ticks, alpha_ticks;
};

const struct field link_fields[] = {
    {.name = "bandwidth",
     .kind = FIELD_RATE,
     .offset = offsetof(struct link_keys, bandwidth_bytes_per_s),
     .flags = FIELD_REQUIRED,
     .help = "bytes per second in one direction",
     .example = "\"45GB/s\""},
    {.name = "latency",
     .kind = FIELD_TIME,
     .offset = offsetof(struct link_keys, latency_ticks),
     .help = "of one directed link",
     .example = "\"1us\""},
    {.name = "alpha",
     .kind = FIELD_TIME,
     .offset = offsetof(struct link_keys, alpha_ticks),
     .help = "start-up latency of a path of two links through one switch",
     .example = "\"2us\""},
    {.name = NULL},
};

static void read_preset(struct reader *reader, const char *name, struct link_config *link) {
    const struct link_preset *preset = link_preset_find(name);
    if (!preset) {
        const char *names[64] = {NULL};
        for (size_t i = 0; link_presets[i].name && i < 63; i++) names[i] = link_presets[i].name;
        reader_unknown(reader, "link", name, names);
        return;
    }
    struct error error = {.kind = ERROR_NONE};
    link->preset = preset->name;
    if (!parse_rate(preset->bandwidth, &link->bandwidth_bytes_per_s, &error) ||
        !parse_time(preset->latency, reader->ticks_per_s, &link->latency_ticks, &error))
        fatal("link preset %s: %s", preset->name, error.text);
}

void read_link(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    struct link_config *link = place;
    if (json_is_string(value)) {
        read_preset(reader, json_string_value(value), link);
        return;
    }
    if (!json_is_object(value)) {
        reader_expected(reader, "a link: an object with \"bandwidth\" and \"latency\", or a preset's name", value);
        return;
    }
    struct link_keys keys = {.given = 0};
    read_struct(reader, link_fields, value, &keys, false);
    bool latency = field_given(link_fields, &keys, "latency"), alpha = field_given(link_fields, &keys, "alpha");
    if (latency && alpha) reader_problem(reader, "a link has a \"latency\" or an \"alpha\", not both");
    if (!latency && !alpha) reader_problem(reader, "the key \"latency\" is missing (or \"alpha\", of a path through one switch)");
    *link = (struct link_config){
        .bandwidth_bytes_per_s = keys.bandwidth_bytes_per_s,
        .latency_ticks = alpha ? keys.alpha_ticks / 2 + keys.alpha_ticks % 2 : keys.latency_ticks,
        .from_alpha = alpha,
    };
}
