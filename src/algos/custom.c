// An algorithm that a user wrote as a file: rules over rank, step and block, evaluated as they are needed.
#include "algos/custom.h"

#include <string.h>

#include "algos/blocks_steps.h"
#include "algos/exchange_steps.h"

/// So that no check and no run has to end by itself.
enum { MOST_STEPS = 1 << 24, MOST_BLOCKS = 1 << 30, MOST_MACHINES = 64, MOST_VALUES = 1 << 20 };

static const char *const options[] = {"schedule_file", NULL};

/// The step that is being filled, and the names' values in it.
struct place {
    const struct collective_args *args;
    const struct view *view;
    int64_t values[CUSTOM_VARIABLES];
    uint32_t blocks;
    const char *mistake; ///< NULL: none yet
    struct step *out;
};

static int64_t value_or(const struct expression *expression, struct place *place, int64_t otherwise) {
    return expression ? expression_value(expression, place->values, &place->mistake) : otherwise;
}

static bool inside(int64_t value, struct expression_range range, struct place *place) {
    return !range.first || (value >= value_or(range.first, place, 0) && value <= value_or(range.last, place, 0));
}

static struct place place_of(const struct collective_args *args, const struct view *view, struct step *out) {
    struct place place = {.args = args, .view = view, .out = out};
    place.values[CUSTOM_P] = args->size;
    place.values[CUSTOM_ROOT] = args->root;
    return place;
}

/// False after a mistake.
static bool find_blocks(const struct custom_transfer *transfer, struct place *place, struct blocks *blocks) {
    int64_t first = value_or(transfer->blocks.first, place, 0), last = value_or(transfer->blocks.last, place, 0), count = place->blocks;
    if (place->mistake) return false;
    if (first < 0 || first >= count)
        place->mistake = "the block is none of the vector's";
    else if (last < first)
        place->mistake = "the range of blocks is empty";
    else if (last - first >= count)
        place->mistake = "the range holds more blocks than there are";
    else
        *blocks = (struct blocks){args_vector(place->args), place->blocks, (uint32_t)first, (uint32_t)(last - first + 1)};
    return !place->mistake;
}

static void add(struct place *place, const struct custom_transfer *transfer, uint32_t peer, bool is_send, const struct blocks *blocks) {
    if (place->args->kind == ALL_TO_ALL) {
        uint32_t from = is_send ? place->view->rank : blocks->first, to = is_send ? blocks->first : place->view->rank;
        exchange_add(place->out, place->view, peer, is_send, exchange_span(place->args, from, to, blocks->first),
                     is_send ? VECTOR_DATA : VECTOR_RESULT);
    } else if (is_send) {
        blocks_send(place->out, place->view, peer, blocks);
    } else {
        blocks_receive(place->out, place->view, peer, blocks, transfer->reduce ? COMBINE_ADD : COMBINE_COPY);
    }
}

static void do_transfer(const struct custom_transfer *transfer, bool is_send, struct place *place) {
    if (!transfer->peer) return;
    struct blocks blocks;
    int64_t peer = value_or(transfer->peer, place, 0), piece = value_or(transfer->piece, place, 0);
    if (!find_blocks(transfer, place, &blocks)) return;
    if (peer < 0 || peer >= place->args->size)
        place->mistake = is_send ? "it sends to no rank there is" : "it receives from no rank there is";
    else if (peer == place->view->rank)
        place->mistake = is_send ? "it sends to itself" : "it receives from itself";
    else if (piece < 0 || piece > INT32_MAX)
        place->mistake = "the piece is below 0 or above 2^31";
    else if (place->args->kind == ALL_TO_ALL && blocks.count > 1)
        place->mistake = "an all-to-all moves one block a message";
    if (place->mistake) return;
    add(place, transfer, (uint32_t)peer, is_send, &blocks);
    struct operation *message = step_last(place->out);
    for (uint32_t i = 0; i <= message->joined; i++) message[i].piece = (uint32_t)piece;
}

static void do_rule(const struct custom_rule *rule, struct place *place) {
    place->values[CUSTOM_I] = 0;
    if (!inside(place->values[CUSTOM_K], rule->steps, place)) return;
    int64_t rank = value_or(rule->rank, place, place->view->rank);
    if (rank < 0 || rank >= place->args->size) place->mistake = "the rank is none of the collective's";
    if (place->mistake || rank != place->view->rank) return;
    int64_t first = value_or(rule->each.first, place, 0), last = value_or(rule->each.last, place, 0);
    if (last > first && last - first >= MOST_VALUES) place->mistake = "i takes more than a million values";
    for (int64_t i = first; i <= last && !place->mistake; i++) {
        place->values[CUSTOM_I] = i;
        if (!value_or(rule->when, place, 1)) continue;
        do_transfer(&rule->send, true, place);
        do_transfer(&rule->receive, false, place);
    }
}

/// Where a step of a machine was filled up to; the rule that has no meaning there, or `rule_count`.
static size_t do_rules(struct place *place, uint32_t machine, uint64_t k) {
    const struct custom_schedule *custom = place->args->custom;
    place->blocks = (uint32_t)value_or(custom->blocks, place, 1);
    place->values[CUSTOM_R] = place->view->rank;
    place->values[CUSTOM_K] = (int64_t)k;
    place->values[CUSTOM_M] = machine;
    for (size_t i = 0; i < custom->rule_count; i++) {
        do_rule(&custom->rules[i], place);
        if (place->mistake) return i;
    }
    return custom->rule_count;
}

bool custom_step(const struct collective_args *args, uint32_t r, uint32_t machine, uint64_t k, struct step *out, struct error *err) {
    struct view view = view_all(r, args->size);
    struct place place = place_of(args, &view, out);
    size_t rule = do_rules(&place, machine, k);
    if (!place.mistake) return true;
    return error_at(err, "schedule_file", "%s: /rules/%zu, rank %u of %u in step %llu (i = %lld): %s", args->custom->file, rule, r,
                    args->size, (unsigned long long)k, (long long)place.values[CUSTOM_I], place.mistake);
}

static uint32_t machines(const struct collective_args *args) {
    struct place place = place_of(args, NULL, NULL);
    return (uint32_t)value_or(args->custom->machines, &place, 1);
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    struct place place = place_of(args, NULL, NULL);
    return (uint64_t)value_or(args->custom->steps, &place, 0);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    struct place place = place_of(args, view, out);
    step_phase(out, args->custom->name, k, steps(args, machine));
    do_rules(&place, machine, k);
    if (place.mistake) fatal("a custom schedule was not checked: %s", place.mistake);
}

/// One of the numbers that hold for all ranks.
static bool check_number(const struct collective_args *args, const struct expression *expression, const char *key, const int64_t limits[2],
                         struct error *err) {
    struct place place = place_of(args, NULL, NULL);
    int64_t value = value_or(expression, &place, limits[0]);
    if (place.mistake)
        return error_at(err, "schedule_file", "%s: /%s has no value for %u ranks: %s", args->custom->file, key, args->size, place.mistake);
    if (value >= limits[0] && value <= limits[1]) return true;
    return error_at(err, "schedule_file", "%s: /%s is %lld for %u ranks; %lld to %lld are allowed", args->custom->file, key,
                    (long long)value, args->size, (long long)limits[0], (long long)limits[1]);
}

static bool accepts(const struct collective_args *args, struct error *err) {
    const struct custom_schedule *custom = args->custom;
    if (!custom) return error_at(err, "algorithm", "custom needs a \"schedule_file\"");
    if (custom->kind != args->kind)
        return error_at(err, "schedule_file", "%s is a schedule for %s, not for %s", custom->file, collective_names[custom->kind],
                        collective_names[args->kind]);
    struct place place = place_of(args, NULL, NULL);
    if (!value_or(custom->requirement, &place, 1) || place.mistake)
        return error_at(err, "schedule_file", "%s requires %s; this collective has p = %u", custom->file, custom->requirement_text,
                        args->size);
    bool slots = args->kind == ALL_TO_ALL;
    return check_number(args, custom->blocks, "blocks", (const int64_t[]){slots ? args->size : 1, slots ? args->size : MOST_BLOCKS}, err) &&
           check_number(args, custom->steps, "steps", (const int64_t[]){0, MOST_STEPS}, err) &&
           check_number(args, custom->machines, "machines", (const int64_t[]){1, MOST_MACHINES}, err);
}

#define CUSTOM(KIND)                                  \
    [KIND] = {.kind = (KIND),                         \
              .name = "custom",                       \
              .summary = "what a schedule_file says", \
              .options = options,                     \
              .accepts = accepts,                     \
              .machines = machines,                   \
              .steps = steps,                         \
              .step = step}
static const struct algorithm customs[COLLECTIVE_KINDS] = {
    CUSTOM(ALL_REDUCE), CUSTOM(REDUCE_SCATTER), CUSTOM(ALL_GATHER), CUSTOM(BROADCAST), CUSTOM(REDUCE),
    CUSTOM(SCATTER),    CUSTOM(GATHER),         CUSTOM(ALL_TO_ALL), CUSTOM(BARRIER),
};

const struct algorithm *custom_algorithm(enum collective_kind kind) { return customs[kind].name ? &customs[kind] : NULL; }
