// A schedule file (docs/custom-schedules.md): its own tables, read by the same functions as a scenario.
#include <stdlib.h>
#include <string.h>

#include "algos/custom.h"
#include "scenario/reader.h"

/// As enum custom_variable counts them.
static const char *const shape_names[] = {"p", "root", NULL};
static const char *const step_names[] = {"p", "root", "r", "k", "m", NULL};
static const char *const rule_names[] = {"p", "root", "r", "k", "m", "i", NULL};

/// A send or receive as it stands in the file: one block or a range of them.
struct transfer_config {
    uint64_t given;
    const struct expression *peer, *block, *piece;
    struct expression_range blocks;
    bool reduce;
};

struct rule_config {
    uint64_t given;
    struct expression_range steps, each;
    const struct expression *step, *rank, *when;
    struct transfer_config send, receive;
};

struct schedule_config {
    uint64_t given;
    const char *name, *requirement;
    int kind;
    const struct expression *blocks, *steps, *machines;
    bool check;
    struct records rules; ///< struct rule_config
};

#define AT(member) offsetof(struct transfer_config, member)
static const struct field send_fields[] = {
    {.name = "to",
     .kind = FIELD_EXPRESSION,
     .offset = AT(peer),
     .flags = FIELD_REQUIRED,
     .choices = rule_names,
     .example = "\"(r+1) % p\""},
    {.name = "block", .kind = FIELD_EXPRESSION, .offset = AT(block), .choices = rule_names},
    {.name = "blocks", .kind = FIELD_RANGE, .offset = AT(blocks), .choices = rule_names},
    {.name = "piece", .kind = FIELD_EXPRESSION, .offset = AT(piece), .choices = rule_names},
    {.name = NULL},
};
static const struct field receive_fields[] = {
    {.name = "from",
     .kind = FIELD_EXPRESSION,
     .offset = AT(peer),
     .flags = FIELD_REQUIRED,
     .choices = rule_names,
     .example = "\"(r-1) % p\""},
    {.name = "block", .kind = FIELD_EXPRESSION, .offset = AT(block), .choices = rule_names},
    {.name = "blocks", .kind = FIELD_RANGE, .offset = AT(blocks), .choices = rule_names},
    {.name = "piece", .kind = FIELD_EXPRESSION, .offset = AT(piece), .choices = rule_names},
    {.name = "reduce", .kind = FIELD_BOOLEAN, .offset = AT(reduce)},
    {.name = NULL},
};
#undef AT
#define AT(member) offsetof(struct rule_config, member)
static const struct field rule_fields[] = {
    {.name = "steps", .kind = FIELD_RANGE, .offset = AT(steps), .choices = shape_names},
    {.name = "step", .kind = FIELD_EXPRESSION, .offset = AT(step), .choices = shape_names},
    {.name = "rank", .kind = FIELD_EXPRESSION, .offset = AT(rank), .choices = shape_names},
    {.name = "for", .kind = FIELD_RANGE, .offset = AT(each), .choices = step_names},
    {.name = "when", .kind = FIELD_EXPRESSION, .offset = AT(when), .choices = rule_names},
    {.name = "send", .kind = FIELD_OBJECT, .offset = AT(send), .fields = send_fields},
    {.name = "receive", .kind = FIELD_OBJECT, .offset = AT(receive), .fields = receive_fields},
    {.name = NULL},
};
#undef AT
#define AT(member) offsetof(struct schedule_config, member)
static const struct field schedule_fields[] = {
    {.name = "name", .kind = FIELD_TEXT, .offset = AT(name), .flags = FIELD_REQUIRED, .example = "\"my ring\""},
    {.name = "collective", .kind = FIELD_CHOICE, .offset = AT(kind), .flags = FIELD_REQUIRED, .choices = collective_names},
    {.name = "requires", .kind = FIELD_TEXT, .offset = AT(requirement)},
    {.name = "blocks", .kind = FIELD_EXPRESSION, .offset = AT(blocks), .flags = FIELD_REQUIRED, .choices = shape_names, .example = "\"p\""},
    {.name = "steps", .kind = FIELD_EXPRESSION, .offset = AT(steps), .flags = FIELD_REQUIRED, .choices = shape_names, .example = "\"p-1\""},
    {.name = "machines", .kind = FIELD_EXPRESSION, .offset = AT(machines), .choices = shape_names},
    {.name = "check", .kind = FIELD_BOOLEAN, .offset = AT(check), .fallback = true},
    {.name = "let", .kind = FIELD_NAMES, .choices = rule_names},
    {.name = "rules",
     .kind = FIELD_LIST,
     .offset = AT(rules),
     .flags = FIELD_REQUIRED,
     .fields = rule_fields,
     .item_size = sizeof(struct rule_config),
     .example = "[{\"send\": …, \"receive\": …}]"},
    {.name = NULL},
};
#undef AT

/// One side of a rule, which has either key.
static struct custom_transfer make_transfer(struct reader *reader, const struct transfer_config *config) {
    struct custom_transfer transfer = {config->peer, config->blocks, config->piece, config->reduce};
    if (config->peer && !config->block == !config->blocks.first)
        reader_problem(reader, "needs one of \"block\" (\"r\") and \"blocks\" (\"0..p-1\")");
    if (config->block) transfer.blocks = (struct expression_range){config->block, config->block};
    return transfer;
}

static void make_rule(struct reader *reader, const struct rule_config *config, struct custom_rule *out) {
    *out = (struct custom_rule){.steps = config->steps, .rank = config->rank, .when = config->when, .each = config->each};
    if (config->step && config->steps.first) reader_problem(reader, "has both \"step\" and \"steps\"");
    if (config->step) out->steps = (struct expression_range){config->step, config->step};
    if (!config->send.peer && !config->receive.peer) reader_problem(reader, "needs a \"send\" or a \"receive\"");
    size_t outside = reader_enter(reader, "send");
    out->send = make_transfer(reader, &config->send);
    reader_leave(reader, outside);
    outside = reader_enter(reader, "receive");
    out->receive = make_transfer(reader, &config->receive);
    reader_leave(reader, outside);
}

static struct custom_schedule *make_schedule(struct reader *reader, const struct schedule_config *config) {
    struct custom_schedule *schedule = arena_allocate(reader->arena, sizeof *schedule);
    struct custom_rule *rules = arena_allocate(reader->arena, config->rules.count * sizeof *rules);
    *schedule = (struct custom_schedule){.name = config->name,
                                         .kind = (enum collective_kind)config->kind,
                                         .blocks = config->blocks,
                                         .steps = config->steps,
                                         .machines = config->machines,
                                         .requirement_text = config->requirement,
                                         .checked = config->check,
                                         .rule_count = config->rules.count,
                                         .rules = rules};
    if (config->requirement) {
        const struct field row = {.kind = FIELD_EXPRESSION, .choices = shape_names};
        json_t *text = json_string(config->requirement);
        size_t outside = reader_enter(reader, "requires");
        read_expression(reader, &row, text, &schedule->requirement);
        reader_leave(reader, outside);
        json_decref(text);
    }
    size_t list = reader_enter(reader, "rules");
    for (size_t i = 0; i < config->rules.count; i++) {
        size_t outside = reader_enter_index(reader, i);
        make_rule(reader, (const struct rule_config *)config->rules.items + i, &rules[i]);
        reader_leave(reader, outside);
    }
    reader_leave(reader, list);
    return schedule;
}

/// The problems of the file, each at the place in the scenario that names it.
static void pass_on(struct reader *reader, const char *file, const struct problems *problems) {
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->items[i];
        reader_problem(reader, "%s:%u:%u: %s%s%s", file, problem->line, problem->column, problem->pointer, *problem->pointer ? ": " : "",
                       problem->text);
    }
}

static struct custom_schedule *read_schedule_text(struct reader *outer, const char *text, size_t length, struct problems *problems) {
    json_t *document = scenario_parse_json(text, length, problems);
    if (!document) return NULL;
    struct reader reader = {.problems = problems, .text = text, .arena = outer->arena, .ticks_per_s = outer->ticks_per_s};
    struct schedule_config config = {0};
    const struct field root = {.kind = FIELD_OBJECT, .fields = schedule_fields};
    read_field(&reader, &root, document, &config);
    struct custom_schedule *schedule = problems->count ? NULL : make_schedule(&reader, &config);
    free(reader.pointer);
    json_decref(document);
    return schedule;
}

void read_schedule(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    if (!json_is_string(value)) {
        reader_expected(reader, "the name of a schedule file", value);
        return;
    }
    const char *name = json_string_value(value);
    size_t length;
    char *text = read_named_text(reader, name, &length);
    if (!text) return;
    struct problems problems = {0};
    struct custom_schedule *schedule = read_schedule_text(reader, text, length, &problems);
    if (schedule) schedule->file = arena_copy_text(reader->arena, name);
    pass_on(reader, name, &problems);
    problems_free(&problems);
    free(text);
    *(const struct custom_schedule **)place = schedule;
}
