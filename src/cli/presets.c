#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "llm/hardware.h"
#include "llm/model.h"
#include "report/columns.h"
#include "report/json.h"
#include "scenario/link_presets.h"
#include "systems/system.h"

static const struct option presets_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document", NULL},
    {0},
};

static const struct option_group groups[] = {{"Output", presets_options}, {"General", common_options}, {0}};

static const struct system_type *system_at(size_t index) { return (const struct system_type *)system_family.types[index]; }

/// The keys of a system beside its type: "dims, twisted".
static char *keys_text(const struct variant_type *type, char out[static 200]) {
    size_t used = 0;
    out[0] = '\0';
    for (const struct field *f = type->fields; f && f->name; f++)
        used += (size_t)snprintf(out + used, 200 - used, "%s%s", used ? ", " : "", f->name);
    return out;
}

static void print_links(FILE *out) {
    static const char *const titles[] = {"<name", "bandwidth", "latency", "<", NULL};
    struct columns columns;
    columns_start(&columns, titles);
    fputs("links, in one direction (\"link\": \"nvlink4\")\n", out);
    for (const struct link_preset *p = link_presets; p->name; p++) {
        int64_t rate;
        char text[QUANTITY_SIZE];
        struct error err = {0};
        columns_add(&columns, "%s", p->name);
        columns_add(&columns, "%s", parse_rate(p->bandwidth, &rate, &err) ? format_rate((double)rate, text) : p->bandwidth);
        columns_add(&columns, "%s", p->latency);
        columns_add(&columns, "%s", p->summary);
    }
    columns_finish(&columns, out);
    for (const struct link_preset *p = link_presets; p->name; p++) fprintf(out, "  %s: %s\n", p->name, p->source);
}

static void print_systems(FILE *out) {
    static const char *const titles[] = {"<name", "<keys", "<", NULL};
    struct columns columns;
    char keys[200];
    columns_start(&columns, titles);
    fputs("\nsystems (\"system\": {\"type\": \"dgx-h100\", \"nodes\": 4}, or --system dgx-h100:4)\n", out);
    for (size_t i = 0; system_family.types[i]; i++) {
        const struct variant_type *type = system_family.types[i];
        columns_add(&columns, "%s", type->name);
        columns_add(&columns, "%s", keys_text(type, keys));
        columns_add(&columns, "%s", type->summary);
    }
    columns_finish(&columns, out);
    for (size_t i = 0; system_family.types[i]; i++)
        for (const char *const *source = system_at(i)->sources; *source; source++)
            fprintf(out, "  %s: %s\n", system_at(i)->variant.name, *source);
}

static void print_models(FILE *out) {
    static const char *const titles[] = {"<name", "parameters", "layers", "d_model", "experts", NULL};
    struct columns columns;
    columns_start(&columns, titles);
    fputs("\nmodels (\"model\": \"llama-3.1-70b\")\n", out);
    for (const struct model *m = model_presets; m->name; m++) {
        columns_add(&columns, "%s", m->name);
        columns_add(&columns, "%.1f B", (double)model_parameters(m) / 1e9);
        columns_add(&columns, "%lld", (long long)m->layers);
        columns_add(&columns, "%lld", (long long)m->d_model);
        columns_add(&columns, "%lld", (long long)m->experts);
    }
    columns_finish(&columns, out);
    for (const struct model *m = model_presets; m->name; m++) fprintf(out, "  %s: %s\n", m->name, m->source);
}

static double tflops(const struct hardware *hardware, enum dtype dtype) { return (double)hardware->mflops[dtype] / 1e6; }

static void print_hardware(FILE *out) {
    static const char *const titles[] = {"<name", "bf16 TFLOP/s", "fp8 TFLOP/s", "memory", "bandwidth", NULL};
    struct columns columns;
    char text[QUANTITY_SIZE];
    columns_start(&columns, titles);
    fputs("\nhardware (\"hardware\": \"h100\")\n", out);
    for (const struct hardware *h = hardware_presets; h->name; h++) {
        columns_add(&columns, "%s", h->name);
        columns_add(&columns, "%g", tflops(h, DTYPE_BF16));
        columns_add(&columns, "%g", tflops(h, DTYPE_FP8));
        columns_add(&columns, "%s", format_bytes((double)h->memory_bytes, text));
        columns_add(&columns, "%s", format_rate((double)h->memory_bytes_per_s, text));
    }
    columns_finish(&columns, out);
    for (const struct hardware *h = hardware_presets; h->name; h++) fprintf(out, "  %s: %s\n", h->name, h->source);
}

static void write_links(struct json_writer *json) {
    put_open(json, "links", '[');
    for (const struct link_preset *p = link_presets; p->name; p++) {
        put_open(json, NULL, '{');
        put_text(json, "name", p->name);
        put_text(json, "bandwidth", p->bandwidth);
        put_text(json, "latency", p->latency);
        put_text(json, "summary", p->summary);
        put_text(json, "source", p->source);
        put_close(json, '}');
    }
    put_close(json, ']');
}

static void write_systems(struct json_writer *json) {
    put_open(json, "systems", '[');
    for (size_t i = 0; system_family.types[i]; i++) {
        put_open(json, NULL, '{');
        put_text(json, "name", system_family.types[i]->name);
        put_text(json, "summary", system_family.types[i]->summary);
        put_open(json, "keys", '[');
        for (const struct field *f = system_family.types[i]->fields; f->name; f++) put_text(json, NULL, f->name);
        put_close(json, ']');
        put_open(json, "sources", '[');
        for (const char *const *source = system_at(i)->sources; *source; source++) put_text(json, NULL, *source);
        put_close(json, ']');
        put_close(json, '}');
    }
    put_close(json, ']');
}

static void write_models(struct json_writer *json) {
    put_open(json, "models", '[');
    for (const struct model *m = model_presets; m->name; m++) {
        put_open(json, NULL, '{');
        put_text(json, "name", m->name);
        put_int(json, "parameters", model_parameters(m));
        put_int(json, "layers", m->layers);
        put_int(json, "d_model", m->d_model);
        put_int(json, "experts", m->experts);
        put_text(json, "source", m->source);
        put_close(json, '}');
    }
    put_close(json, ']');
}

static void write_hardware(struct json_writer *json) {
    put_open(json, "hardware", '[');
    for (const struct hardware *h = hardware_presets; h->name; h++) {
        put_open(json, NULL, '{');
        put_text(json, "name", h->name);
        put_open(json, "tflops", '{');
        for (int dtype = 0; dtype_names[dtype]; dtype++) put_double(json, dtype_names[dtype], tflops(h, (enum dtype)dtype));
        put_close(json, '}');
        put_int(json, "memory", h->memory_bytes);
        put_int(json, "memory_bandwidth", h->memory_bytes_per_s);
        put_text(json, "source", h->source);
        put_close(json, '}');
    }
    put_close(json, ']');
}

static int print_presets(const struct options *options, FILE *out) {
    if (!options->json) {
        print_links(out);
        print_systems(out);
        print_models(out);
        print_hardware(out);
        return ERROR_NONE;
    }
    struct json_writer json = {.out = out, .folded_depth = 2};
    put_open(&json, NULL, '{');
    put_head(&json);
    write_links(&json);
    write_systems(&json);
    write_models(&json);
    write_hardware(&json);
    put_close(&json, '}');
    return ERROR_NONE;
}

const struct command presets_command = {
    .name = "presets",
    .operands = "",
    .summary = "list links, systems, models and hardware that have a name, with figures and sources",
    .groups = groups,
    .run = print_presets,
};
