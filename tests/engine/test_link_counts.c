// What a link has carried, however its chunks follow each other: those like the last are a number in its record.
#include <check.h>

#include "engine/network.h"
#include "engine/service.h"

static void add(struct sim *sim, uint32_t size, uint32_t chunks) {
    const uint32_t class = sim_size_class(sim, size);
    meet_size(sim, 0, class);
    count_carried(sim, 0, &(struct service_kind){.size_class = class, .serves = class, .bytes = size, .ticks = 10 * size}, chunks);
}

static void check_totals(const struct sim *sim, uint64_t chunks, uint64_t bytes) {
    struct link_totals totals = sim_link_totals(sim, 0);
    ck_assert_uint_eq(totals.chunks, chunks);
    ck_assert_uint_eq(totals.bytes, bytes);
    ck_assert_int_eq(totals.busy_ticks, 10 * (int64_t)bytes);
    ck_assert_uint_eq(sim_chunk_hops(sim), chunks);
    ck_assert(sim_totals(sim).bytes_on_links == bytes);
}

START_TEST(alike_and_unlike) {
    struct network net;
    network_line(&net, 1, (int64_t[]){BYTE_A_TICK / 10}, (int64_t[]){1}); // ten ticks a byte
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sim *sim = sim_create(&net.graph, &(struct router){0}, &config, &(struct sim_client){0});
    check_totals(sim, 0, 0);
    add(sim, 7, 3);
    check_totals(sim, 3, 21);
    add(sim, 7, 1), add(sim, 5, 2), add(sim, 7, 1);
    check_totals(sim, 7, 45);
    meet_size(sim, 0, UNCACHED_SIZE);
    count_carried(sim, 0, &(struct service_kind){.size_class = UNCACHED_SIZE, .serves = NO_SIZE, .bytes = 6, .ticks = 60}, 1);
    check_totals(sim, 8, 51);
    add(sim, 7, UINT32_MAX);
    check_totals(sim, 8 + (uint64_t)UINT32_MAX, 51 + 7 * (uint64_t)UINT32_MAX);
    sim_count_link(sim, 0, &(struct link_totals){.bytes = 4, .chunks = 2, .busy_ticks = 40}, 2);
    ck_assert_uint_eq(sim_link_totals(sim, 0).chunks, 12 + (uint64_t)UINT32_MAX);
    sim_free(sim);
    network_free(&net);
}
END_TEST

Suite *test_link_counts_suite(void);
Suite *test_link_counts_suite(void) {
    Suite *suite = suite_create("link_counts");
    TCase *tests = tcase_create("link_counts");
    tcase_add_test(tests, alike_and_unlike);
    suite_add_tcase(suite, tests);
    return suite;
}
