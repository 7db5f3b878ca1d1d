// What must hold for every scenario, on random ones drawn from fixed seeds: _i is the seed.
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "golden/simulation.h"
#include "properties/drawn.h"

enum { SEEDS = 150, UNIT = 1024, MOST_HOPS = 64 };
enum { BYTES_A_RANK = 5 * 128 }; ///< n is divisible by p, by the 5 pieces of a chain and by the powers of two below p

static uint32_t hops(const struct topology *topology, uint32_t from, uint32_t to) {
    uint32_t links[MOST_HOPS];
    return topology_route(topology, from, to, 0, 0, links, MOST_HOPS);
}

/// Bytes that the messages of the workload put on links: size times hops.
static uint64_t bytes_of_messages(const struct simulation *run) {
    json_t *document = json_loads(run->text, 0, NULL), *message;
    uint64_t bytes = 0;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(document, "workload"), "messages"), i, message) {
        int64_t size;
        struct error err = {0};
        ck_assert(parse_bytes(json_string_value(json_object_get(message, "size")), &size, &err));
        bytes +=
            (uint64_t)size * hops(run->experiment.topology, run->experiment.place[json_integer_value(json_object_get(message, "from"))],
                                  run->experiment.place[json_integer_value(json_object_get(message, "to"))]);
    }
    json_decref(document);
    return bytes;
}

// Bytes on links = sum over messages of size times hops. Where all chunks are of c bytes: a link's bytes are its chunks times c, and its
// busy time is its chunks times ceil(c / bandwidth), within the makespan.
START_TEST(bytes_and_busy_times) {
    struct random_stream random;
    struct drawn_topology topology;
    struct simulation run;
    random_seed(&random, (uint64_t)_i);
    draw_topology(&random, DRAW_ANY, &topology);
    char *messages = draw_messages(&random, topology.endpoints, UNIT);
    simulate(&run, "{'network': {'topology': %s, 'chunk': '%dB', %s}, 'mapping': 'random', 'seed': %d, 'workload': %s}", topology.text,
             UNIT, draw_switching(&random), _i, messages);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, bytes_of_messages(&run));
    uint64_t bytes = 0, chunks = 0;
    for (uint32_t l = 0; l < run.result.link_count; l++) {
        const struct link_result all = link_result_of(&run.result, l), *link = &all;
        int64_t service;
        ck_assert(transfer_ticks(UNIT, link->bandwidth_bytes_per_s, run.result.ticks_per_s, &service));
        ck_assert_int_eq(link->busy_ticks, service * (int64_t)(link->bytes / UNIT)); // chunks of 0 bytes take no time
        ck_assert_uint_ge(link->chunks, link->bytes / UNIT);
        ck_assert_int_le(link->busy_ticks, run.result.makespan_ticks);
        bytes += link->bytes, chunks += link->chunks;
    }
    ck_assert_uint_eq(bytes, (uint64_t)run.result.bytes_on_links);
    ck_assert_uint_eq(chunks, run.result.chunk_hops);
    simulation_free(&run);
    free(messages);
    drawn_topology_free(&topology);
}
END_TEST

/// Moves all places by an even amount in even dims, by any in odd ones (where no two ways round are equally long).
static void shift(struct random_stream *random, const struct drawn_topology *torus, uint32_t *places) {
    uint32_t by[3];
    for (uint32_t d = 0; d < torus->dim_count; d++) by[d] = draw(random, 0, torus->dims[d] - 1) & (torus->dims[d] % 2 ? ~0u : ~1u);
    for (uint32_t r = 0; r < torus->endpoints; r++) {
        uint32_t rest = places[r], moved = 0, weight = 1;
        for (uint32_t d = torus->dim_count; d-- > 0;) {
            moved += (rest % torus->dims[d] + by[d]) % torus->dims[d] * weight;
            rest /= torus->dims[d];
            weight *= torus->dims[d];
        }
        places[r] = moved;
    }
}

// All ranks of a torus moved by an even amount: every delivery is the same, to the tick.
START_TEST(an_even_shift_changes_nothing) {
    struct random_stream random;
    struct drawn_topology torus;
    struct simulation run;
    random_seed(&random, 1000 + (uint64_t)_i);
    draw_topology(&random, DRAW_TORUS, &torus);
    uint32_t *places = draw_places(&random, torus.endpoints);
    char *work = _i % 2 ? draw_messages(&random, torus.endpoints, 1000) : draw_collective(&random, 100000);
    const char *switching = draw_switching(&random);
    struct digest digests[2];
    for (int moved = 0; moved < 2; moved++) {
        if (moved) shift(&random, &torus, places);
        char *list = places_text(places, torus.endpoints);
        simulate(&run, "{'network': {'topology': %s, 'chunk': '4KiB', %s}, 'mapping': %s, 'workload': %s}", torus.text, switching, list,
                 work);
        ck_assert_int_eq(run.result.status, RUN_COMPLETE);
        digests[moved] = run.result.digest;
        simulation_free(&run);
        free(list);
    }
    ck_assert_msg(digests[0].low == digests[1].low && digests[0].high == digests[1].high, "%s %s", torus.text, work);
    free(work);
    free(places);
    drawn_topology_free(&torus);
}
END_TEST

// Twice the bandwidths, bytes and chunk: the same times.
START_TEST(twice_as_much_twice_as_fast) {
    struct random_stream random;
    struct drawn_topology topology;
    struct simulation once, twice;
    random_seed(&random, 2000 + (uint64_t)_i);
    draw_topology(&random, DRAW_ANY, &topology);
    const char *switching = draw_switching(&random);
    int64_t bytes = (int64_t)BYTES_A_RANK * topology.endpoints;
    struct random_stream again = random; // the same collective with other bytes
    char *work = draw_collective(&random, bytes), *more = draw_collective(&again, 2 * bytes);
    simulate(&once, "{'network': {'topology': %s, 'chunk': '4KiB', %s}, 'workload': %s}", topology.text, switching, work);
    simulate(&twice, "{'network': {'topology': %s, 'chunk': '8KiB', %s}, 'workload': %s}", topology.faster, switching, more);
    ck_assert_msg(once.result.makespan_ticks == twice.result.makespan_ticks, "%s %s", topology.text, work);
    ck_assert_uint_eq(once.result.chunk_hops, twice.result.chunk_hops);
    ck_assert(2 * once.result.bytes_on_links == twice.result.bytes_on_links);
    for (uint32_t l = 0; l < once.result.link_count; l++) {
        ck_assert_int_eq(once.result.loads[l].busy_ticks, twice.result.loads[l].busy_ticks);
        ck_assert_int_eq(2 * once.result.loads[l].peak_queue_bytes, twice.result.loads[l].peak_queue_bytes);
    }
    simulation_free(&once);
    simulation_free(&twice);
    free(work);
    free(more);
    drawn_topology_free(&topology);
}
END_TEST

/// The same document with the keys of every object in reverse order.
static json_t *reversed(const json_t *value) {
    if (json_is_array(value)) {
        json_t *list = json_array(), *item;
        size_t i;
        json_array_foreach((json_t *)value, i, item) json_array_append_new(list, reversed(item));
        return list;
    }
    if (!json_is_object(value)) return json_deep_copy(value);
    const char *keys[32], *key;
    size_t count = 0;
    json_t *object = json_object(), *member;
    json_object_foreach((json_t *)value, key, member) keys[count++] = key;
    while (count-- > 0) json_object_set_new(object, keys[count], reversed(json_object_get(value, keys[count])));
    return object;
}

// The same scenario again, and with its keys in another order: the same document, byte by byte.
START_TEST(the_same_again) {
    struct random_stream random;
    struct drawn_topology topology;
    struct simulation run;
    random_seed(&random, 3000 + (uint64_t)_i);
    draw_topology(&random, DRAW_ANY, &topology);
    char *work = _i % 2 ? draw_messages(&random, topology.endpoints, 999) : draw_collective(&random, 99999);
    simulate(&run,
             "{'seed': %d, 'network': {'topology': %s, 'chunk': '4KiB', %s}, 'mapping': {'type': 'random', 'seed': %d}, 'workload': %s}",
             _i, topology.text, draw_switching(&random), _i + 5, work);
    char *first = simulation_json(&run);
    json_t *document = json_loads(run.text, 0, NULL), *other = reversed(document);
    char *texts[] = {strcpy(allocate(strlen(run.text) + 1), run.text), json_dumps(other, 0)};
    simulation_free(&run);
    for (int i = 0; i < 2; i++) {
        simulate(&run, "%s", texts[i]);
        char *second = simulation_json(&run);
        ck_assert_str_eq(first, second);
        free(second);
        free(texts[i]);
        simulation_free(&run);
    }
    json_decref(document);
    json_decref(other);
    free(first);
    free(work);
    drawn_topology_free(&topology);
}
END_TEST

/// The document of a scenario that has been run, but for what shortcuts saved.
static char *document_of(struct simulation *run) {
    memset(run->result.savings, 0, sizeof run->result.savings);
    return simulation_json(run);
}

/// The same, run again on another engine; NULL where that does not take it.
static char *document_on(struct simulation *run, enum engine_choice engine, uint32_t shortcuts) {
    struct run_result result = {0};
    struct error err = {0};
    if (!experiment_run(&run->experiment, &(struct run_limits){.engine = engine, .shortcuts = shortcuts}, NULL, &result, &err)) {
        ck_assert_msg(engine == ENGINE_WINDOW, "%s", err.text);
        ck_assert_msg(strstr(err.text, "the window engine cannot run this; the heap engine can") == err.text, "%s", err.text);
        run_result_free(&result);
        return NULL;
    }
    run_result_free(&run->result);
    run->result = result;
    return document_of(run);
}

// Whichever engine takes the events, with and without shortcuts: the same document, digests and peaks of queues included.
START_TEST(engines_agree) {
    struct random_stream random;
    struct drawn_topology topology;
    random_seed(&random, 6000 + (uint64_t)_i);
    draw_topology(&random, DRAW_ANY, &topology);
    char *work = _i % 2 ? draw_messages(&random, topology.endpoints, 777) : draw_collective(&random, 70000);
    struct simulation run;
    simulate(&run, "{'seed': %d, 'network': {'topology': %s, 'chunk': '%s', %s}, 'mapping': 'random', 'workload': %s}", _i, topology.text,
             draw(&random, 0, 2) ? "2KiB" : "whole", draw_switching(&random), work);
    char *by_itself = document_of(&run), *heap = document_on(&run, ENGINE_HEAP, 0), *window = document_on(&run, ENGINE_WINDOW, 0);
    if (strcmp(heap, by_itself) != 0 || (window && strcmp(heap, window) != 0)) ck_abort_msg("%s %s", topology.text, work);
    free(by_itself);
    free(heap);
    free(window);
    free(work);
    simulation_free(&run);
    drawn_topology_free(&topology);
}
END_TEST

// A link made faster on an idle network: one message is never later.
START_TEST(faster_is_not_slower) {
    struct random_stream random;
    struct drawn_topology topology;
    struct simulation run;
    random_seed(&random, 4000 + (uint64_t)_i);
    draw_topology(&random, DRAW_ANY, &topology);
    char *network, *message;
    size_t size;
    FILE *out = open_memstream(&network, &size);
    fprintf(out, "'topology': %s, 'chunk': '%s', %s", topology.text, draw(&random, 0, 1) ? "whole" : "7000B", draw_switching(&random));
    fclose(out);
    out = open_memstream(&message, &size);
    uint32_t from = draw(&random, 0, topology.endpoints - 1);
    uint32_t to = (from + draw(&random, 1, topology.endpoints - 1)) % topology.endpoints;
    fprintf(out, "{'type': 'messages', 'messages': [{'from': %u, 'to': %u, 'size': '%uB'}]}", from, to, draw(&random, 1, 100000));
    fclose(out);
    simulate(&run, "{'network': {%s}, 'workload': %s}", network, message);
    const struct topology *shape = run.experiment.topology;
    uint32_t links[MOST_HOPS], count = topology_route(shape, from, to, 0, 0, links, MOST_HOPS);
    for (uint32_t i = 0; i < count; i++) {
        const struct link_info *link = &shape->graph.links[links[i]];
        char a[NODE_NAME_SIZE], b[NODE_NAME_SIZE];
        int64_t rate = link->bandwidth_bytes_per_s + (int64_t)random_below(&random, UINT64_C(900000000000));
        int64_t ticks =
            ticks_of("{'network': {%s, 'overrides': [{'from': '%s', 'to': '%s', 'bandwidth': '%" PRId64 "B/s'}]}, 'workload': %s}", network,
                     graph_node_name(&shape->graph, link->from, a), graph_node_name(&shape->graph, link->to, b), rate, message);
        ck_assert_msg(ticks <= run.result.makespan_ticks, "%s, link %s->%s at %" PRId64 " B/s: %s", network, a, b, rate, message);
    }
    simulation_free(&run);
    free(network);
    free(message);
    drawn_topology_free(&topology);
}
END_TEST

// No run beats its lower bound.
START_TEST(bounds_hold) {
    struct random_stream random;
    struct drawn_topology topology;
    struct simulation run;
    random_seed(&random, 5000 + (uint64_t)_i);
    draw_topology(&random, DRAW_ANY, &topology);
    char *work = draw_collective(&random, draw(&random, 0, 300000));
    simulate(&run, "{'network': {'topology': %s, 'chunk': 'whole', %s}, 'workload': %s}", topology.text, draw_switching(&random), work);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_ptr_nonnull(run.result.collectives[0].bound.kind);
    ck_assert_msg(run.result.collectives[0].bound.ticks <= run.result.makespan_ticks, "%s %s: %s bound", topology.text, work,
                  run.result.collectives[0].bound.kind);
    simulation_free(&run);
    free(work);
    drawn_topology_free(&topology);
}
END_TEST

Suite *test_properties_suite(void) {
    Suite *suite = suite_create("properties");
    TCase *tests = tcase_create("properties");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, bytes_and_busy_times, 0, SEEDS);
    tcase_add_loop_test(tests, an_even_shift_changes_nothing, 0, SEEDS);
    tcase_add_loop_test(tests, twice_as_much_twice_as_fast, 0, SEEDS);
    tcase_add_loop_test(tests, the_same_again, 0, SEEDS);
    tcase_add_loop_test(tests, engines_agree, 0, 4 * SEEDS);
    tcase_add_loop_test(tests, faster_is_not_slower, 0, SEEDS);
    tcase_add_loop_test(tests, bounds_hold, 0, SEEDS);
    suite_add_tcase(suite, tests);
    return suite;
}
