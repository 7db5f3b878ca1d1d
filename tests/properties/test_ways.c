// However a scenario is run - engine, shortcuts, threads - its result is the same: random scenarios from WEFT_SEEDS seeds, of which
// WEFT_FIRST is the first.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "golden/simulation.h"
#include "properties/drawn.h"

enum { SEEDS = 250 };

static const struct way {
    const char *name;
    struct run_limits limits;
} ways[] = {
    {"the window engine", {.engine = ENGINE_WINDOW}},
    {"the best engine", {.engine = ENGINE_AUTO}},
    {"solo", {.shortcuts = 1u << SHORTCUT_SOLO}},
    {"replay", {.shortcuts = 1u << SHORTCUT_REPLAY}},
    {"symmetry", {.shortcuts = 1u << SHORTCUT_SYMMETRY}},
    {"all shortcuts", {.shortcuts = SHORTCUTS_ALL}},
    {"2 threads", {.threads = 2}},
    {"3 threads and all shortcuts", {.threads = 3, .shortcuts = SHORTCUTS_ALL}},
    {"7 threads", {.threads = 7}},
};

/// "[0, 3, 5]": some of the ranks, at least two, in order.
static void write_group(struct random_stream *random, uint32_t ranks, FILE *out) {
    uint32_t first = draw(random, 0, ranks - 2), step = draw(random, 1, 2);
    const char *before = "[";
    for (uint32_t r = first, count = 0; r < ranks || count < 2; r += step, count++) {
        fprintf(out, "%s%u", before, r < ranks ? r : first + 1);
        before = ", ";
    }
    fputs("]", out);
}

/// A collective with more keys: repeated, of a part of the ranks, with late ranks.
static void write_collective(struct random_stream *random, uint32_t ranks, FILE *out) {
    bool even = draw(random, 0, 3) > 0; // blocks of equal size
    char *text = draw_collective(random, even ? (int64_t)ranks * 5 * draw(random, 0, 2000) : draw(random, 0, 30000));
    fprintf(out, "%.*s", (int)strlen(text) - 1, text);
    free(text);
    if (draw(random, 0, 1)) fprintf(out, ", 'repeat': %u", draw(random, 0, 4) ? draw(random, 1, 6) : draw(random, 7, 30));
    if (draw(random, 0, 7) == 0) {
        fputs(", 'ranks': ", out);
        write_group(random, ranks, out);
    } else if (draw(random, 0, 4) == 0) {
        fprintf(out, ", 'start': {'%u': '%uns'}", draw(random, 0, ranks - 1), draw(random, 1, 20000));
    }
    fputs("}", out);
}

static void write_list(struct random_stream *random, const char *type, uint32_t ranks, FILE *out) {
    fprintf(out, "{'type': '%s', 'of': [", type);
    for (uint32_t i = 0, count = draw(random, 1, 3); i < count; i++) {
        if (i > 0) fputs(", ", out);
        write_collective(random, ranks, out);
    }
    fputs("]", out);
    if (strcmp(type, "sequence") == 0) {
        fprintf(out, ", 'repeat': %u", draw(random, 1, 7));
        if (draw(random, 0, 3) == 0) fputs(", 'barrier': true", out);
    }
    fputs("}", out);
}

static void write_workload(struct random_stream *random, uint32_t ranks, FILE *out) {
    switch (draw(random, 0, 6)) {
    case 0: {
        char *messages = draw_messages(random, ranks, draw(random, 0, 1) ? 777 : 10000);
        fputs(messages, out);
        free(messages);
        break;
    }
    case 1: write_list(random, "parallel", ranks, out); break;
    case 2:
    case 3: write_list(random, "sequence", ranks, out); break;
    default: write_collective(random, ranks, out);
    }
}

static void write_costs(struct random_stream *random, FILE *out) {
    if (draw(random, 0, 4) > 0) return;
    fprintf(out, ", 'costs': {'send_overhead': '%uns', 'launch_overhead': '%uns', 'reduce_bandwidth': '%uGB/s'}", draw(random, 0, 1) * 300,
            draw(random, 0, 1) * 2000, draw(random, 1, 3) * 100);
}

static char *draw_scenario(struct random_stream *random) {
    static const char *const chunks[] = {"whole", "512B", "1KiB", "4KiB"};
    struct drawn_topology topology;
    draw_topology(random, DRAW_ANY, &topology);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "{'network': {'topology': %s, 'chunk': '%s', 'switching': '%s'", topology.text, chunks[draw(random, 0, 3)],
            draw(random, 0, 1) ? "cut-through" : "store-and-forward");
    if (draw(random, 0, 9) == 0) fputs(", 'injection': 'round-robin'", out);
    fprintf(out, "}, 'mapping': '%s', 'workload': ", draw(random, 0, 3) ? "linear" : "random");
    write_workload(random, topology.endpoints, out);
    write_costs(random, out);
    fputs("}", out);
    fclose(out);
    drawn_topology_free(&topology);
    return text;
}

static void same_links(const struct run_result *a, const struct run_result *b, const char *where) {
    for (uint32_t l = 0; l < a->link_count; l++) {
        const struct link_result of_a = link_result_of(a, l), of_b = link_result_of(b, l), *x = &of_a, *y = &of_b;
        ck_assert_msg(x->bytes == y->bytes && x->chunks == y->chunks && x->busy_ticks == y->busy_ticks, "%s: link %u carried other things",
                      where, l);
        ck_assert_msg(x->peak_queue_bytes == y->peak_queue_bytes, "%s: the queue of link %u reached %lld, not %lld", where, l,
                      (long long)y->peak_queue_bytes, (long long)x->peak_queue_bytes);
    }
}

static void same_collectives(const struct run_result *a, const struct run_result *b, const char *where) {
    ck_assert_uint_eq(a->collective_count, b->collective_count);
    for (size_t i = 0; i < a->collective_count; i++) {
        const struct collective_result *x = &a->collectives[i], *y = &b->collectives[i];
        ck_assert_msg(x->start_ticks == y->start_ticks && x->end_ticks == y->end_ticks, "%s: collective %zu", where, i);
        for (uint32_t r = 0; r < x->args.size; r++)
            ck_assert_msg(x->rank_end_ticks[r] == y->rank_end_ticks[r], "%s: rank %u of collective %zu ends at %lld, not %lld", where, r, i,
                          (long long)y->rank_end_ticks[r], (long long)x->rank_end_ticks[r]);
    }
}

static void same(const struct run_result *a, const struct run_result *b, const char *where) {
    ck_assert_msg(a->status == b->status, "%s: %s, not %s: %s", where, run_status_names[b->status], run_status_names[a->status],
                  b->error.text);
    ck_assert_msg(a->makespan_ticks == b->makespan_ticks, "%s: takes %lld, not %lld", where, (long long)b->makespan_ticks,
                  (long long)a->makespan_ticks);
    same_collectives(a, b, where);
    same_links(a, b, where);
    ck_assert_msg(a->digest.low == b->digest.low && a->digest.high == b->digest.high, "%s: another digest", where);
    ck_assert_msg(a->messages == b->messages && a->chunks == b->chunks && a->chunk_hops == b->chunk_hops, "%s: other totals", where);
    ck_assert_msg(a->bytes_on_links == b->bytes_on_links, "%s: other bytes on links", where);
    for (uint32_t r = 0; r < a->ranks; r++) ck_assert_msg(a->bytes_sent[r] == b->bytes_sent[r], "%s: rank %u sent others", where, r);
}

static void runs_the_same(const struct simulation *run, const struct way *way, const char *text) {
    struct run_limits limits = way->limits;
    struct run_result result = {0};
    struct error err = {0};
    char *where;
    size_t size;
    FILE *out = open_memstream(&where, &size);
    fprintf(out, "%s, by %s", text, way->name);
    fclose(out);
    limits.proof = PROOF_CHOICE_OFF;
    if (experiment_run(&run->experiment, &limits, NULL, &result, &err))
        same(&run->result, &result, where);
    else
        ck_assert_msg(limits.engine == ENGINE_WINDOW && strstr(err.text, "the heap engine can"), "%s: %s", where, err.text);
    run_result_free(&result);
    free(where);
}

START_TEST(all_ways_agree) {
    struct random_stream random;
    struct simulation run;
    random_seed(&random, 7000 + (uint64_t)_i);
    char *text = draw_scenario(&random);
    simulate_limited(&run, &(struct run_limits){.engine = ENGINE_HEAP, .proof = PROOF_CHOICE_OFF}, "%s", text);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) runs_the_same(&run, &ways[w], text);
    simulation_free(&run);
    free(text);
}
END_TEST

// Message 1 waits for one of rank 0 to itself, which is there at once: it goes before message 2, which was posted before the run.
START_TEST(to_oneself_at_the_start) {
    static const char text[] =
        "{'network': {'topology': {'type': 'switch', 'endpoints': 2, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}}, 'chunk': 'whole'}, "
        "'workload': {'type': 'messages', 'messages': [{'from': 0, 'to': 0, 'size': '5B'}, {'from': 0, 'to': 1, 'size': '1000B', 'after': "
        "[0]}, "
        "{'from': 0, 'to': 1, 'size': '3000B'}]}}";
    struct simulation run;
    simulate_limited(&run, &(struct run_limits){.engine = ENGINE_HEAP, .proof = PROOF_CHOICE_OFF}, "%s", text);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) runs_the_same(&run, &ways[w], text);
    simulation_free(&run);
}
END_TEST

// Of a switch with so many ports only some are looked at.
START_TEST(a_large_switch) {
    struct random_stream random;
    struct simulation run;
    random_seed(&random, (uint64_t)_i);
    char *messages = draw_messages(&random, 5000, 3000);
    static const char chain[] = "{'type': 'collective', 'collective': 'broadcast', 'algorithm': 'chain', 'pieces': 3, 'size': '9KB'}";
    simulate_limited(&run, &(struct run_limits){.engine = ENGINE_HEAP, .proof = PROOF_CHOICE_OFF},
                     "{'network': {'topology': {'type': 'switch', 'endpoints': 5000, 'link': {'bandwidth': '50GB/s', 'latency': '500ns'}}, "
                     "'chunk': '1KiB'}, 'workload': {'type': 'parallel', 'of': [%s, %s]}}",
                     messages, chain);
    runs_the_same(&run, &ways[0], messages); // by the window engine
    simulation_free(&run);
    free(messages);
}
END_TEST

Suite *test_ways_suite(void);
Suite *test_ways_suite(void) {
    Suite *suite = suite_create("ways");
    TCase *tests = tcase_create("ways");
    const char *given_first = getenv("WEFT_FIRST"), *given_count = getenv("WEFT_SEEDS");
    int first = given_first ? atoi(given_first) : 0, count = given_count ? atoi(given_count) : SEEDS;
    tcase_set_timeout(tests, 900); // a few large ones take minutes where others keep the machine busy
    tcase_add_loop_test(tests, all_ways_agree, first, first + count);
    tcase_add_test(tests, to_oneself_at_the_start);
    tcase_add_loop_test(tests, a_large_switch, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}
