#include "algos/logical.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"

/// A posted operation; `from`, `to` and `piece` are what matches a send to a receive.
struct post {
    uint32_t from, to, piece;
    const struct operation *operation;
    struct payload *payload; ///< of a send
};

/// All that happens in one step of one machine.
struct moment {
    struct step *steps; ///< one a rank
    struct post *sends, *receives;
    size_t send_count, send_capacity, receive_count, receive_capacity;
};

void logical_start(struct logical *run, const struct collective_args *args) {
    *run = (struct logical){.args = *args};
    run->tracker = tracker_create(args, false);
    run->bytes_sent = allocate_zeroed(args->size, sizeof *run->bytes_sent);
}

void logical_free(struct logical *run) {
    tracker_free(run->tracker);
    free(run->bytes_sent);
}

static void post_sends(struct logical *run, struct moment *moment) {
    for (uint32_t r = 0; r < run->args.size; r++) {
        const struct step *step = &moment->steps[r];
        for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) {
            const struct operation *operation = &step->operations[i];
            if (!operation->is_send) continue;
            ARRAY_RESERVE(moment->sends, moment->send_capacity, moment->send_count + 1);
            moment->sends[moment->send_count++] =
                (struct post){r, operation->peer, operation->piece, operation, tracker_sent(run->tracker, r, operation)};
            run->bytes_sent[r] += operation_bytes(operation);
            run->messages++;
        }
    }
}

static void post_receives(struct logical *run, struct moment *moment) {
    for (uint32_t r = 0; r < run->args.size; r++) {
        const struct step *step = &moment->steps[r];
        for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) {
            const struct operation *operation = &step->operations[i];
            if (operation->is_send) continue;
            ARRAY_RESERVE(moment->receives, moment->receive_capacity, moment->receive_count + 1);
            moment->receives[moment->receive_count++] = (struct post){operation->peer, r, operation->piece, operation, NULL};
        }
    }
}

static int compare(const void *one, const void *other) {
    const struct post *a = one, *b = other;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->piece < b->piece ? -1 : a->piece > b->piece;
}

/// The sorted posts must pair up, each pair once.
static bool match(struct logical *run, const struct moment *moment) {
    const struct post *sends = moment->sends, *receives = moment->receives;
    for (size_t i = 1; i < moment->send_count; i++)
        if (compare(&sends[i - 1], &sends[i]) == 0)
            return error_set(&run->error, ERROR_INTERNAL, "two messages from %u to %u, piece %u", sends[i].from, sends[i].to,
                             sends[i].piece);
    for (size_t i = 0; i < moment->send_count || i < moment->receive_count; i++) {
        bool has_both = i < moment->send_count && i < moment->receive_count;
        int order = has_both ? compare(&sends[i], &receives[i]) : i < moment->send_count ? -1 : 1;
        if (order < 0) return error_set(&run->error, ERROR_INTERNAL, "nobody receives a message from %u to %u", sends[i].from, sends[i].to);
        if (order > 0) return error_set(&run->error, ERROR_INTERNAL, "rank %u waits for %u in vain", receives[i].to, receives[i].from);
    }
    return true;
}

static bool deliver(struct logical *run, struct moment *moment) {
    if (moment->send_count) qsort(moment->sends, moment->send_count, sizeof *moment->sends, compare);
    if (moment->receive_count) qsort(moment->receives, moment->receive_count, sizeof *moment->receives, compare);
    bool matched = match(run, moment);
    for (size_t i = 0; i < moment->send_count; i++) {
        const struct post *receive = &moment->receives[i];
        if (matched)
            tracker_received(run->tracker, receive->to, receive->operation, moment->sends[i].payload);
        else
            tracker_dropped(run->tracker, moment->sends[i].payload);
    }
    return matched;
}

/// Step k of one machine.
struct when {
    const struct algorithm *algorithm;
    const struct collective_args *args;
    uint32_t machine;
    uint64_t k;
};

static bool run_step(struct logical *run, const struct when *when, struct moment *moment) {
    moment->send_count = moment->receive_count = 0;
    for (uint32_t r = 0; r < run->args.size; r++) {
        struct view view = view_all(r, run->args.size);
        moment->steps[r].count = 0;
        when->algorithm->step(when->args, &view, when->machine, when->k, &moment->steps[r]);
        if (run->mutate) run->mutate(r, when->k, &moment->steps[r]);
    }
    post_sends(run, moment);
    post_receives(run, moment);
    return deliver(run, moment);
}

bool logical_run(struct logical *run, const struct algorithm *algorithm, const struct collective_args *args) {
    if (algorithm->accepts && !algorithm->accepts(args, &run->error)) return false;
    struct moment moment = {.steps = allocate_zeroed(args->size, sizeof *moment.steps)};
    uint64_t most = 0;
    bool good = true;
    for (uint32_t machine = 0; good && machine < algorithm_machines(algorithm, args); machine++) {
        uint64_t steps = algorithm->steps(args, machine);
        if (steps > most) most = steps;
        for (uint64_t k = 0; good && k < steps; k++) good = run_step(run, &(struct when){algorithm, args, machine, k}, &moment);
    }
    run->steps += most;
    for (uint32_t r = 0; r < args->size; r++) pages_free(moment.steps[r].operations);
    free(moment.steps);
    free(moment.sends);
    free(moment.receives);
    return good;
}

bool logical_finish(struct logical *run) { return run->error.kind == ERROR_NONE && tracker_finish(run->tracker, &run->error); }
