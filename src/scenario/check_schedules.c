#include "scenario/check_schedules.h"

#include <stdlib.h>
#include <string.h>

#include "algos/custom.h"
#include "record/tracker.h"
#include "scenario/problems.h"
#include "workloads/collective.h"

/// One end of a message.
struct end {
    uint32_t machine, from, to, piece;
    bool is_send;
    size_t operation; ///< among the step's
    struct payload *payload;
};

/// One step of all ranks.
struct round {
    const struct collective_args *args;
    uint64_t k;
    struct step step;
    struct end *ends; ///< sorted, the send of a message before its receive
    size_t count, capacity;
};

static int compare_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

/// Receives of one rank stand together.
static int compare_ends(const void *untyped_a, const void *untyped_b) {
    const struct end *a = untyped_a, *b = untyped_b;
    int order = compare_numbers(a->machine, b->machine);
    if (!order) order = compare_numbers(a->to, b->to);
    if (!order) order = compare_numbers(a->from, b->from);
    if (!order) order = compare_numbers(a->piece, b->piece);
    return order ? order : b->is_send - a->is_send;
}

static bool same_message(const struct end *a, const struct end *b) {
    return a->machine == b->machine && a->to == b->to && a->from == b->from && a->piece == b->piece;
}

/// Fills the round with what every rank does in step k.
static bool fill_round(struct round *round, uint64_t k, struct error *err) {
    const struct collective_args *args = round->args;
    uint32_t machines = algorithm_machines(custom_algorithm(args->kind), args);
    round->k = k;
    round->step.count = round->count = 0;
    for (uint32_t task = 0; task < args->size * machines; task++) {
        uint32_t r = task / machines, machine = task % machines;
        size_t first = round->step.count;
        if (!custom_step(args, r, machine, k, &round->step, err)) return false;
        ARRAY_RESERVE(round->ends, round->capacity, round->count + round->step.count - first);
        for (size_t i = first; i < round->step.count; i += 1 + round->step.operations[i].joined) {
            const struct operation *operation = &round->step.operations[i];
            bool is_send = operation->is_send;
            round->ends[round->count++] =
                (struct end){machine, is_send ? r : operation->peer, is_send ? operation->peer : r, operation->piece, is_send, i, NULL};
        }
    }
    if (round->count) qsort(round->ends, round->count, sizeof *round->ends, compare_ends);
    return true;
}

/// Whether the end at `i` is without its other one.
static bool is_alone(const struct round *round, size_t i) {
    size_t other = round->ends[i].is_send ? i + 1 : i - 1;
    if (!round->ends[i].is_send && i == 0) return true;
    return other >= round->count || round->ends[other].is_send == round->ends[i].is_send ||
           !same_message(&round->ends[i], &round->ends[other]);
}

static bool report(const struct round *round, struct error *err, const char *what) {
    return error_at(err, "schedule_file", "%s, %u ranks, step %llu: %s", round->args->custom->file, round->args->size,
                    (unsigned long long)round->k, what);
}

/// Names some ranks that wait for messages nobody sends, or else messages that nobody receives.
static bool check_pairs(const struct round *round, struct error *err) {
    enum { NAMED_MOST = 4 };
    char waiting[400] = "";
    int named = 0;
    size_t used = 0, unreceived = round->count;
    for (size_t i = 0; i < round->count; i++) {
        const struct end *end = &round->ends[i];
        bool alone = is_alone(round, i);
        if (alone && end->is_send && unreceived == round->count) unreceived = i;
        if (!alone || end->is_send || named == NAMED_MOST) continue;
        used += (size_t)snprintf(waiting + used, sizeof waiting - used, "%srank %u waits for rank %u, which sends it nothing then",
                                 named++ ? "; " : "", end->to, end->from);
    }
    if (named > 0) return report(round, err, waiting);
    if (unreceived == round->count) return true;
    snprintf(waiting, sizeof waiting, "rank %u sends to rank %u, which does not receive it then", round->ends[unreceived].from,
             round->ends[unreceived].to);
    return report(round, err, waiting);
}

/// A second message between two ranks in one step needs a piece of its own.
static bool check_pieces(const struct round *round, struct error *err) {
    for (size_t i = 1; i < round->count; i++) {
        const struct end *a = &round->ends[i - 1], *b = &round->ends[i];
        if (a->is_send != b->is_send || !same_message(a, b)) continue;
        char what[160];
        snprintf(what, sizeof what, "rank %u %s rank %u twice; give each a \"piece\" of its own", a->is_send ? a->from : a->to,
                 a->is_send ? "sends to" : "receives from", a->is_send ? a->to : a->from);
        return report(round, err, what);
    }
    return true;
}

static int64_t operation_marks(const struct operation *operation) {
    int64_t marks = 0;
    for (uint32_t i = 0; i <= operation->joined; i++) marks += operation[i].span.marks;
    return marks;
}

static bool check_bytes(const struct round *round, struct error *err) {
    for (size_t i = 0; i < round->count; i += 2) {
        const struct end *end = &round->ends[i];
        const struct operation *send = &round->step.operations[end->operation], *receive = &round->step.operations[end[1].operation];
        long long sent = operation_bytes(send), expected = operation_bytes(receive);
        if (sent == expected && operation_marks(send) == operation_marks(receive)) continue;
        char what[160];
        snprintf(what, sizeof what, "rank %u sends %lld B to rank %u, which expects %lld B%s", end->from, sent, end->to, expected,
                 sent == expected ? " of other blocks" : "");
        return report(round, err, what);
    }
    return true;
}

static void track(struct round *round, struct tracker *tracker) {
    for (size_t i = 0; i < round->count; i += 2)
        round->ends[i].payload = tracker_sent(tracker, round->ends[i].from, &round->step.operations[round->ends[i].operation]);
    for (size_t i = 0; i < round->count; i += 2)
        tracker_received(tracker, round->ends[i].to, &round->step.operations[round->ends[i + 1].operation], round->ends[i].payload);
}

static bool check_round(struct round *round, struct tracker *tracker, struct error *err) {
    if (!round->args->custom->checked) return true;
    if (!check_pieces(round, err) || !check_pairs(round, err) || !check_bytes(round, err)) return false;
    track(round, tracker);
    return true;
}

bool check_schedule(const struct collective_args *args, struct error *err) {
    struct round round = {.args = args};
    uint64_t steps = custom_algorithm(args->kind)->steps(args, 0);
    struct tracker *tracker = tracker_create(args, false);
    bool good = true;
    for (uint64_t k = 0; k < steps && good; k++) good = fill_round(&round, k, err) && check_round(&round, tracker, err);
    struct error fault = {0};
    if (good && args->custom->checked && !tracker_finish(tracker, &fault))
        good = error_at(err, "schedule_file", "%s, %u ranks: %s", args->custom->file, args->size, fault.text);
    tracker_free(tracker);
    pages_free(round.step.operations);
    free(round.ends);
    return good;
}

static bool check_collective(const struct collective_config *config, const struct workload_place *place, const char *pointer,
                             const char *text, struct problems *problems) {
    struct error err = {0};
    if (!config->schedule_file) return true;
    const struct collective_args args = collective_args_of(config, place);
    if (check_schedule(&args, &err)) return true;
    problems_add_error(problems, text, pointer, &err);
    return false;
}

bool check_schedules(const struct variant *workload, const struct workload_place *place, const char *pointer, const char *text,
                     struct problems *problems) {
    const struct field *fields = workload->type->fields;
    if (fields == collective_fields) return check_collective(workload->config, place, pointer, text, problems);
    bool good = true;
    for (const struct field *field = fields; field && field->name; field++) {
        if (field->kind != FIELD_VARIANTS || field->family != &workload_family) continue;
        const struct records *of = (const struct records *)((const char *)workload->config + field->offset);
        for (size_t i = 0; i < of->count; i++) {
            char inner[256];
            snprintf(inner, sizeof inner, "%s/%s/%zu", pointer, field->name, i);
            good &= check_schedules((const struct variant *)of->items + i, place, inner, text, problems);
        }
    }
    return good;
}
