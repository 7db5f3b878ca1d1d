#include "scenario/folded.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "golden/simulation.h"

enum { MOST_HOPS = 64 };

/// The digest over the times, bytes and hops of all deliveries, of a run in full.
struct orbits {
    const struct experiment *experiment;
    struct digest digest;
};

static void count_delivery(void *context, uint64_t message, uint32_t from, uint32_t to, int64_t bytes, int64_t now) {
    struct orbits *orbits = context;
    uint32_t links[MOST_HOPS];
    (void)message;
    digest_add_orbit(&orbits->digest, now, bytes, topology_route(orbits->experiment->topology, from, to, 0, 0, links, MOST_HOPS), 1);
}

static void run_in_full(struct simulation *out, char *text, struct orbits *orbits) {
    simulation_prepare(out, text, NULL);
    *orbits = (struct orbits){.experiment = &out->experiment};
    const struct recorder recorder = {.ranks = {.context = orbits, .delivered = count_delivery}};
    struct observers observers = {0};
    observers_add(&observers, &recorder);
    struct error err = {0};
    ck_assert_msg(experiment_run(&out->experiment, &(struct run_limits){.proof = PROOF_CHOICE_OFF}, &observers, &out->result, &err), "%s",
                  err.text);
    observers_free(&observers);
}

static void check_links(const struct run_result *full, const struct run_result *folded, const char *text) {
    for (uint32_t l = 0; l < full->link_count; l++) {
        const struct link_result a = link_result_of(full, l), b = link_result_of(folded, l);
        ck_assert_msg(a.from == b.from && a.to == b.to && a.port == b.port, "link %u is another in %s", l, text);
        ck_assert_msg(a.bytes == b.bytes && a.chunks == b.chunks && a.busy_ticks == b.busy_ticks &&
                          a.peak_queue_bytes == b.peak_queue_bytes,
                      "link %u -> %u differs in %s", a.from, a.to, text);
    }
}

/// What is found of folded links without a look at each.
static void check_hottest(const struct run_result *full, const struct run_result *folded, const char *text) {
    ck_assert_uint_eq(links_used(full), links_used(folded));
    uint32_t most = full->link_count + 1, *a = allocate(most * sizeof *a), *b = allocate(most * sizeof *b), found;
    for (uint32_t count = 0; count <= most; count = count < 40 ? count + 1 : count < most ? most : most + 1) {
        ck_assert_uint_eq(found = hottest_links(full, count, a), hottest_links(folded, count, b));
        for (uint32_t i = 0; i < found; i++) ck_assert_msg(a[i] == b[i], "of %u hottest links number %u differs in %s", count, i, text);
    }
    free(a);
    free(b);
}

static void check_ranks(const struct run_result *full, const struct run_result *folded, const char *text) {
    ck_assert_uint_eq(full->collective_count, folded->collective_count);
    ck_assert_int_eq(memcmp(full->bytes_sent, folded->bytes_sent, full->ranks * sizeof *full->bytes_sent), 0);
    for (size_t i = 0; i < full->collective_count; i++) {
        const struct collective_result *a = &full->collectives[i], *b = &folded->collectives[i];
        ck_assert_msg(a->start_ticks == b->start_ticks && a->end_ticks == b->end_ticks &&
                          memcmp(a->rank_end_ticks, b->rank_end_ticks, a->args.size * sizeof *a->rank_end_ticks) == 0,
                      "collective %zu ends otherwise in %s", i, text);
    }
}

uint64_t representatives(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = scenario_text(format, arguments);
    va_end(arguments);
    struct simulation full, folded;
    struct orbits orbits;
    run_in_full(&full, text_format("%s", text), &orbits);
    simulate_limited(&folded, &(struct run_limits){.proof = PROOF_CHOICE_OFF, .shortcuts = 1u << SHORTCUT_SYMMETRY}, "%s", text);
    const struct run_result *a = &full.result, *b = &folded.result;
    ck_assert_msg(a->status == RUN_COMPLETE && b->status == RUN_COMPLETE, "%s%s in %s", a->error.text, b->error.text, text);
    ck_assert_msg(memcmp(&a->digest, &b->digest, sizeof a->digest) == 0 && a->makespan_ticks == b->makespan_ticks, "digest or time of %s",
                  text);
    ck_assert_msg(a->messages == b->messages && a->chunks == b->chunks && a->chunk_hops == b->chunk_hops &&
                      a->bytes_on_links == b->bytes_on_links,
                  "totals of %s", text);
    check_links(a, b, text);
    check_hottest(a, b, text);
    check_ranks(a, b, text);
    const struct shortcut_saving *saving = &b->savings[SHORTCUT_SYMMETRY];
    uint64_t uses = saving->uses;
    ck_assert_int_eq(b->has_orbit_digest, uses > 0);
    if (uses > 0) {
        ck_assert_msg(memcmp(&orbits.digest, &b->orbit_digest, sizeof orbits.digest) == 0, "orbit digest of %s", text);
        ck_assert_uint_eq(saving->messages, a->messages / a->ranks * (a->ranks - uses));
    }
    simulation_free(&full);
    simulation_free(&folded);
    free(text);
    return uses;
}
