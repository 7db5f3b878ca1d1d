#include "report/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

static const int64_t us = TICKS_PER_S_FS / 1000000;

static void add_collective(struct run_result *result) {
    result->collective_count = 1;
    result->collectives = allocate_zeroed(1, sizeof *result->collectives);
    result->collectives[0] = (struct collective_result){
        .algorithm = algorithm_find(ALL_REDUCE, "ring"),
        .args = {.kind = ALL_REDUCE, .size = 2, .bytes = 1000},
        .repeat = 1,
        .end_ticks = 5 * us,
        .rank_end_ticks = allocate(2 * sizeof(int64_t)),
        .bound = {.ticks = us, .kind = "link"},
    };
    result->collectives[0].rank_end_ticks[0] = result->collectives[0].rank_end_ticks[1] = 5 * us;
}

void fixture_links(struct run_result *result, const struct link_result *links, uint32_t count) {
    static struct kept {
        struct kept *next;
        struct graph graph;
    } * all;
    struct kept *kept = allocate_zeroed(1, sizeof *kept);
    kept->next = all;
    all = kept;
    kept->graph.links = allocate_zeroed(count, sizeof *kept->graph.links);
    result->graph = &kept->graph;
    result->link_count = result->load_count = kept->graph.link_count = count;
    result->loads = reallocate(result->loads, count * sizeof *result->loads);
    for (uint32_t l = 0; l < count; l++) {
        const struct link_result *link = &links[l];
        kept->graph.links[l] = (struct link_info){
            .from = link->from, .to = link->to, .from_port = link->port, .bandwidth_bytes_per_s = link->bandwidth_bytes_per_s};
        result->loads[l] = (struct carried_load){link->bytes, link->chunks, link->busy_ticks, link->peak_queue_bytes};
    }
}

struct run_result fixture_result(void) {
    struct run_result result = {
        .status = RUN_COMPLETE,
        .ticks_per_s = TICKS_PER_S_FS,
        .seed = 7,
        .makespan_ticks = 5 * us,
        .ranks = 2,
        .messages = 4,
        .chunks = 4,
        .chunk_hops = 8,
        .bytes_on_links = 4000,
        .digest = {.low = 0x1234, .high = 0xabcd},
        .bound = {.ticks = us, .kind = "link"},
        .endpoints = 2,
        .switches = 1,
    };
    result.place = allocate(2 * sizeof *result.place);
    result.place[0] = 0, result.place[1] = 1;
    struct link_result links[4];
    static const uint32_t ends[4][3] = {{0, 2, 1}, {1, 2, 1}, {2, 0, 0}, {2, 1, 1}}; // from, to, port
    for (int l = 0; l < 4; l++) links[l] = (struct link_result){ends[l][0], ends[l][1], ends[l][2], 1000000000, 1000, 2, us, 0};
    fixture_links(&result, links, 4);
    add_collective(&result);
    return result;
}

json_t *fixture_scenario(void) {
    return json_loads(
        "{\"name\": \"two by a switch\","
        " \"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": 2,"
        " \"link\": {\"bandwidth\": \"1GB/s\", \"latency\": \"1us\"}}, \"chunk\": \"whole\", \"overrides\": []},"
        " \"costs\": {\"send_overhead\": \"0s\"}, \"mapping\": {\"type\": \"linear\"},"
        " \"workload\": {\"type\": \"collective\", \"collective\": \"all-reduce\", \"algorithm\": \"ring\", \"size\": \"1KB\"}}",
        0, NULL);
}

char *fixture_printed(void (*print)(void *context, FILE *out), void *context) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print(context, out);
    fclose(out);
    return text;
}
