// Replayed collectives and rounds (communicator_episode.h, communicator_round.h): with and without them a run comes to the same, on
// random repetitions. WEFT_ROUNDS sets how many times 30 and 8 are drawn.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "golden/simulation.h"
#include "properties/drawn.h"

enum { ROUNDS = 10, SEEDS_A_ROUND = 30, FREE_SEEDS_A_ROUND = 8 };

static void check_same(const struct run_result *with, const struct run_result *without, const char *text) {
    ck_assert_msg(with->status == without->status, "%s", text);
    ck_assert_msg(with->makespan_ticks == without->makespan_ticks, "%lld ticks, not %lld:\n%s", (long long)with->makespan_ticks,
                  (long long)without->makespan_ticks, text);
    ck_assert_msg(with->digest.low == without->digest.low && with->digest.high == without->digest.high, "the digests differ:\n%s", text);
    ck_assert_uint_eq(with->messages, without->messages);
    ck_assert_uint_eq(with->chunks, without->chunks);
    ck_assert_uint_eq(with->chunk_hops, without->chunk_hops);
    ck_assert(with->bytes_on_links == without->bytes_on_links);
    if (with->proof == PROOF_PROVED && without->proof == PROOF_PROVED) // of a million messages simulated the proof gives up
        ck_assert_uint_eq(with->proved_collectives, without->proved_collectives);
    ck_assert_mem_eq(with->bytes_sent, without->bytes_sent, with->ranks * sizeof *with->bytes_sent);
    for (uint32_t l = 0; l < with->link_count; l++) {
        const struct carried_load *a = &with->loads[l], *b = &without->loads[l];
        ck_assert_msg(a->bytes == b->bytes && a->chunks == b->chunks && a->busy_ticks == b->busy_ticks &&
                          a->peak_queue_bytes == b->peak_queue_bytes,
                      "link %u differs:\n%s", l, text);
    }
    ck_assert_uint_eq(with->collective_count, without->collective_count);
    for (size_t i = 0; i < with->collective_count; i++) {
        const struct collective_result *a = &with->collectives[i], *b = &without->collectives[i];
        ck_assert_msg(a->start_ticks == b->start_ticks && a->end_ticks == b->end_ticks, "collective %zu differs:\n%s", i, text);
        ck_assert_mem_eq(a->rank_end_ticks, b->rank_end_ticks, a->args.size * sizeof *a->rank_end_ticks);
    }
}

/// The whole report but for what it says of shortcuts and of the proof, which differ.
static char *report_of(const struct simulation *run) {
    char *text = simulation_json(run), *begin = strstr(text, "\"shortcuts\""), *end = strstr(text, "\"bytes_sent_per_rank\"");
    if (!begin) begin = strstr(text, "\"proof\"");
    ck_assert(begin && end);
    memmove(begin, end, strlen(end) + 1);
    return text;
}

/// Runs it with the heap engine, with replays and without, and once more without any say; returns what the replays saved.
static struct shortcut_saving compare_savings(const char *text) {
    struct simulation with, without, as_usual;
    simulate_limited(&with, &(struct run_limits){.shortcuts = 1u << SHORTCUT_REPLAY, .engine = ENGINE_HEAP}, "%s", text);
    simulate_limited(&without, &(struct run_limits){.shortcuts = 0}, "%s", text);
    simulate_limited(&as_usual, &(struct run_limits){.shortcuts = SHORTCUTS_ALL}, "%s", text);
    ck_assert_uint_eq(without.result.savings[SHORTCUT_REPLAY].uses, 0);
    check_same(&with.result, &without.result, text);
    check_same(&as_usual.result, &without.result, text);
    char *reports[2] = {report_of(&with), report_of(&without)};
    ck_assert_msg(strcmp(reports[0], reports[1]) == 0, "the reports differ:\n%s", text);
    free(reports[0]), free(reports[1]);
    const struct shortcut_saving saving = with.result.savings[SHORTCUT_REPLAY];
    simulation_free(&with);
    simulation_free(&without);
    simulation_free(&as_usual);
    return saving;
}

static uint64_t compare(const char *text) { return compare_savings(text).uses; }

static void write_collective(FILE *out, struct random_stream *random, uint32_t endpoints, const uint32_t *places) {
    int64_t bytes = draw(random, 0, 3) ? (int64_t)endpoints * 640 : draw(random, 0, 9999);
    char *text = draw_collective(random, bytes);
    text[strlen(text) - 1] = 0;
    fputs(text, out);
    free(text);
    if (draw(random, 0, 1)) fprintf(out, ", 'repeat': %u", draw(random, 0, 5) ? draw(random, 2, 4) : draw(random, 5, 80));
    uint32_t members = draw(random, 0, 2) ? endpoints : draw(random, 1, endpoints);
    char *ranks = places_text(places, members);
    if (members < endpoints) fprintf(out, ", 'ranks': %s", ranks);
    if (draw(random, 0, 5) == 0) fprintf(out, ", 'start': {'%u': '%uns'}", places[draw(random, 0, members - 1)], draw(random, 1, 3000));
    free(ranks);
    fputs("}", out);
}

static void write_item(FILE *out, struct random_stream *random, uint32_t endpoints, const uint32_t *places, int depth) {
    uint32_t kind = draw(random, 0, 9);
    if (kind == 0 && depth > 0) {
        char *messages = draw_messages(random, endpoints, 1024);
        fputs(messages, out);
        free(messages);
    } else if (kind <= 3 && depth < 2) {
        const char *type = kind == 1 ? "parallel" : "sequence";
        fprintf(out, "{'type': '%s', 'of': [", type);
        for (uint32_t i = 0, count = draw(random, 1, 3); i < count; i++) {
            if (i) fputs(", ", out);
            write_item(out, random, endpoints, places, depth + 1);
        }
        fputs("]", out);
        if (kind > 1) fprintf(out, ", 'repeat': %u, 'barrier': %s", draw(random, 1, 3), draw(random, 0, 1) ? "true" : "false");
        fputs("}", out);
    } else {
        write_collective(out, random, endpoints, places);
    }
}

static const char *draw_costs(struct random_stream *random) {
    static const char *const costs[] = {"", "", "'costs': {'launch_overhead': '3us'}, ",
                                        "'costs': {'send_overhead': '200ns', 'reduce_bandwidth': '20GB/s'}, ",
                                        "'costs': {'reduce_bandwidth': '7GB/s'}, "};
    return costs[draw(random, 0, 4)];
}

static char *draw_scenario(uint64_t seed) {
    struct random_stream random;
    struct drawn_topology topology;
    random_seed(&random, seed);
    draw_topology(&random, DRAW_ANY, &topology);
    uint32_t *places = draw_places(&random, topology.endpoints);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "{'network': {'topology': %s, 'chunk': '%s', %s}, %s'workload': {'type': 'sequence', 'repeat': %u, 'barrier': %s, 'of': [",
            topology.text, draw(&random, 0, 1) ? "whole" : "4096B", draw_switching(&random), draw_costs(&random), draw(&random, 2, 9),
            draw(&random, 0, 2) ? "false" : "true");
    for (uint32_t i = 0, count = draw(&random, 1, 3); i < count; i++) {
        if (i) fputs(", ", out);
        write_item(out, &random, topology.endpoints, places, 0);
    }
    fputs("]}}", out);
    fclose(out);
    free(places);
    drawn_topology_free(&topology);
    return text;
}

START_TEST(random_repetitions) {
    uint64_t replayed = 0;
    for (int k = 0; k < SEEDS_A_ROUND; k++) {
        char *text = draw_scenario((uint64_t)(_i * SEEDS_A_ROUND + k));
        replayed += compare(text);
        free(text);
    }
    ck_assert_uint_gt(replayed, 0);
}
END_TEST

/// One collective of all ranks many times in a row, some of them late: once it goes round they end apart as they began.
static char *draw_free_rounds(uint64_t seed) {
    struct random_stream random;
    struct drawn_topology topology;
    random_seed(&random, seed);
    draw_topology(&random, DRAW_ANY, &topology);
    char *text, *collective = draw_collective(&random, draw(&random, 0, 3) ? (int64_t)topology.endpoints * 640 : draw(&random, 0, 9999));
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "{'network': {'topology': %s, 'chunk': '%s', %s}, %s'workload': %.*s, 'repeat': %u", topology.text,
            draw(&random, 0, 1) ? "whole" : "512B", draw_switching(&random), draw_costs(&random), (int)strlen(collective) - 1, collective,
            draw(&random, 20, 80));
    const char *before = ", 'start': {";
    for (uint32_t r = 0; r < topology.endpoints; r++) {
        if (draw(&random, 0, 5) > 0) continue;
        fprintf(out, "%s'%u': '%uns'", before, r, draw(&random, 1, 9000));
        before = ", ";
    }
    fputs(before[2] == '\'' ? "}}" : "}}}", out);
    fclose(out);
    free(collective);
    drawn_topology_free(&topology);
    return text;
}

START_TEST(ranks_that_end_apart) {
    uint64_t rounds = 0;
    for (int k = 0; k < FREE_SEEDS_A_ROUND; k++) {
        char *text = draw_free_rounds((uint64_t)(_i * FREE_SEEDS_A_ROUND + k));
        rounds += compare_savings(text).rounds;
        free(text);
    }
    ck_assert_uint_gt(rounds, 0);
}
END_TEST

#define SWITCH_8 \
    "'network': {'topology': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '50GB/s', 'alpha': '2us'}}, 'chunk': '64KiB'}, "
#define RING(more) "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '1MiB'" more "}"

// All but the first of 100 are replayed: each 14 steps of 8 messages of two chunk, two links; and all are proved.
START_TEST(what_it_saves) {
    struct simulation run;
    simulate(&run, "{" SWITCH_8 "'workload': " RING(", 'repeat': 100") "}");
    const struct shortcut_saving *saving = &run.result.savings[SHORTCUT_REPLAY];
    ck_assert_uint_eq(saving->uses, 99);
    ck_assert_uint_eq(saving->rounds, 98);
    ck_assert_uint_eq(saving->messages, 99 * 14 * 8);
    ck_assert_uint_eq(saving->chunk_hops, 99 * 14 * 8 * 2 * 2);
    ck_assert_int_eq(run.result.makespan_ticks, 100 * ticks_of("{" SWITCH_8 "'workload': " RING("") "}"));
    ck_assert_uint_eq(run.result.proved_collectives, 100);
    ck_assert_int_eq(run.result.proof, PROOF_PROVED);
    simulation_free(&run);
}
END_TEST

static const struct {
    const char *text;
    uint64_t replayed, rounds;
} known[] = {
    // a rank is late in the first, which goes otherwise than the others
    {"{" SWITCH_8 "'workload': " RING(", 'repeat': 6, 'sync': 'step', 'start': {'3': '5us'}") "}", 4, 3},
    // three collectives in turn
    {"{" SWITCH_8 "'workload': {'type': 'sequence', 'repeat': 5, 'of': [" RING("") ", " RING(
         ", 'ranks': [0, 1, 2, 3, 4, 5, 7, 6]") ", "
                                                "{'type': 'collective', 'collective': 'all-to-all', 'size': '1MiB'}]}}",
     12, 3},
    // a free broadcast lets its root go on before the others: nothing to replay
    {"{" SWITCH_8 "'workload': {'type': 'collective', 'collective': 'broadcast', 'size': '1MiB', 'repeat': 6}}", 0, 0},
    // but step by step they go on together
    {"{" SWITCH_8 "'workload': {'type': 'collective', 'collective': 'broadcast', 'size': '1MiB', 'repeat': 6, 'sync': 'step'}}", 5, 4},
    // and with a barrier
    {"{" SWITCH_8 "'workload': {'type': 'sequence', 'barrier': true, 'repeat': 6, 'of': [{'type': 'collective', 'collective': 'broadcast', "
     "'size': '1MiB'}]}}",
     5, 3},
    // two teams of four at the same time are one thing
    {"{" SWITCH_8 "'workload': {'type': 'parallel', 'of': [" RING(", 'repeat': 6, 'ranks': [0, 1, 2, 3]") ", " RING(
         ", 'repeat': 6, 'ranks': [4, 5, 6, 7]") "]}}",
     10, 4},
    // and so they are when one of them is over, of which the other takes no notice
    {"{" SWITCH_8 "'workload': {'type': 'parallel', 'of': [" RING(", 'repeat': 30, 'ranks': [0, 1, 2, 3]") ", " RING(
         ", 'repeat': 10, 'ranks': [4, 5, 6, 7]") "]}}",
     37, 26},
    // two messages a rank, over three parallel links in turn: every fourth goes as the first
    {"{'network': {'topology': {'type': 'graph', 'nodes': [{'name': 'A'}, {'name': 'B'}], 'links': ["
     "{'from': 'A', 'to': 'B', 'bandwidth': '1GB/s', 'latency': '1us', 'duplex': true} , "
     "{'from': 'A', 'to': 'B', 'bandwidth': '2GB/s', 'latency': '1us', 'duplex': true} , "
     "{'from': 'A', 'to': 'B', 'bandwidth': '3GB/s', 'latency': '1us', 'duplex': true}]}, 'chunk': 'whole'}, "
     "'workload': {'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '1MiB', 'repeat': 30}}",
     27, 7},
    // a pair of collectives in a sequence of its own, ten times, twelve times over: the outer is the round
    {"{" SWITCH_8
     "'workload': {'type': 'sequence', 'repeat': 12, 'of': [{'type': 'sequence', 'repeat': 10, 'of': [" RING("") ", " RING("") "]}]}}",
     239, 10},
    // but what is repeated very often is a round even there
    {"{" SWITCH_8 "'workload': {'type': 'sequence', 'repeat': 4, 'of': [" RING(", 'repeat': 70") "]}}", 279, 272},
    // two teams, of which one goes through its collective twice
    {"{" SWITCH_8 "'workload': {'type': 'sequence', 'repeat': 9, 'barrier': true, 'of': [{'type': 'parallel', 'of': [" RING(
         ", 'ranks': [0, 1, 2, 3]") ", " RING(", 'repeat': 2, 'ranks': [7, 6, 5, 4]") "]}]}}",
     24, 6},
};

START_TEST(known_repetitions) {
    const struct shortcut_saving saving = compare_savings(known[_i].text);
    ck_assert_msg(saving.uses == known[_i].replayed && saving.rounds == known[_i].rounds,
                  "%llu replayed in %llu rounds, not %llu in %llu:\n%s", (unsigned long long)saving.uses, (unsigned long long)saving.rounds,
                  (unsigned long long)known[_i].replayed, (unsigned long long)known[_i].rounds, known[_i].text);
}
END_TEST

// Layers and steps of a language model; costs, teams, sequence parallelism, parts that overlap.
START_TEST(language_models) {
    static const char *const workloads[] = {
        "'workload': {'type': 'tp-decode', 'batch': 16, 'steps': 3",
        "'workload': {'type': 'tp-decode', 'batch': 1, 'steps': 2, 'tp': 4",
        "'workload': {'type': 'tp-decode', 'batch': 3, 'steps': 2, 'launch_overhead': '5us', 'parallelism': 'sequence'",
        "'costs': {'launch_overhead': '2us', 'reduce_bandwidth': '100GB/s'}, 'workload': {'type': 'tp-decode', 'batch': 16, 'steps': 2",
        "'workload': {'type': 'tp-prefill', 'prompts': [100, 300]",
        "'workload': {'type': 'tp-prefill', 'prompts': [100, 300], 'overlap': 2",
        "'costs': {'send_overhead': '1us'}, 'workload': {'type': 'tp-prefill', 'prompts': [100, 300], 'overlap': 2",
        "'workload': {'type': 'moe', 'tokens': 64, 'tp': 2, 'routing': 'uniform', 'draw': 'even'",
    };
    char text[600];
    snprintf(text, sizeof text, "{" SWITCH_8 "%s, 'model': '%s', 'hardware': 'h100'}}", workloads[_i],
             strstr(workloads[_i], "moe") ? "mixtral-8x7b" : "llama-3.1-8b");
    const struct shortcut_saving saving = compare_savings(text);
    bool pays_meanwhile = _i == 6;
    ck_assert_msg(pays_meanwhile ? saving.uses == 0 : saving.uses >= 64, "%llu replayed:\n%s", (unsigned long long)saving.uses, text);
    ck_assert_msg(_i == 5 || pays_meanwhile || saving.rounds > 20, "%llu rounds:\n%s", (unsigned long long)saving.rounds, text);
}
END_TEST

Suite *test_replays_suite(void);
Suite *test_replays_suite(void) {
    Suite *suite = suite_create("replays");
    TCase *tcase = tcase_create("replays");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, what_it_saves);
    tcase_add_loop_test(tcase, known_repetitions, 0, sizeof known / sizeof *known);
    tcase_add_loop_test(tcase, language_models, 0, 8);
    const char *drawn = getenv("WEFT_ROUNDS");
    int rounds = drawn ? atoi(drawn) : ROUNDS;
    tcase_add_loop_test(tcase, random_repetitions, 0, rounds);
    tcase_add_loop_test(tcase, ranks_that_end_apart, 0, rounds);
    suite_add_tcase(suite, tcase);
    return suite;
}
