#include <check.h>

#include "golden/simulation.h"
#include "scenario/nvlink_switch.h"

#define MATRIX "\"workload\": {\"type\": \"collective\", \"collective\": \"all-to-all\", \"algorithm\": \"matrix\", "

/// One peer a step over a switch, whole chunks: a message of n bytes takes 2 us + n / 450 GB/s, within a tick. Rank 0 sends
/// 450 KB in the second step when it has the 900 KB of rank 2 in the first: 2 + 2 us, then 2 + 1 us.
START_TEST(sizes_rows_and_the_diagonal) {
    struct simulation run;
    simulate(&run,
             "{" NVLINK_SWITCH ", " MATRIX
             "\"matrix\": [[\"7MB\", \"0B\", \"450KB\"], [\"0B\", \"0B\", \"0B\"], [\"900KB\", \"0B\", \"1B\"]]}}",
             3);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_uint_eq(run.result.messages, 2); // zero entries and the diagonal are not sent
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 2 * 1350000);
    ck_assert_int_eq(run.result.makespan_ticks, INT64_C(7000000000));
    ck_assert_int_eq(run.result.collectives[0].args.bytes, 900000); // what the rank that sends most sends
    simulation_free(&run);
}
END_TEST

/// Equal entries are the direct all-to-all.
START_TEST(equal_sizes_are_direct) {
    struct simulation matrix, direct;
    simulate(&matrix,
             "{" NVLINK_SWITCH ", " MATRIX
             "\"matrix\": [[\"5KB\", \"5KB\", \"5KB\"], [\"5KB\", \"5KB\", \"5KB\"], [\"5KB\", \"5KB\", \"5KB\"]]}}",
             3);
    simulate(&direct, "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"all-to-all\", \"size\": \"15KB\"}}",
             3);
    ck_assert_mem_eq(&matrix.result.digest, &direct.result.digest, sizeof matrix.result.digest);
    simulation_free(&matrix);
    simulation_free(&direct);
}
END_TEST

/// The CSV of the example, as lists.
START_TEST(a_csv_file) {
    struct simulation file, lists;
    simulate(&file, "{" NVLINK_SWITCH ", " MATRIX "\"matrix\": \"scenarios/all-to-all-matrix.csv\"}}", 4);
    simulate(&lists,
             "{" NVLINK_SWITCH ", " MATRIX "\"matrix\": [[\"0B\", \"4MB\", \"1MB\", \"1MB\"], [\"4MB\", \"0B\", \"1MB\", \"1MB\"], "
             "[\"0B\", \"0B\", \"0B\", \"0B\"], [\"12MB\", \"2MB\", \"2MB\", \"0B\"]], \"expect\": \"scenarios/all-to-all-matrix.csv\"}}",
             4);
    ck_assert_int_eq(file.result.status, RUN_COMPLETE);
    ck_assert_uint_eq(file.result.messages, 9);
    ck_assert_mem_eq(&file.result.digest, &lists.result.digest, sizeof file.result.digest);
    simulation_free(&file);
    simulation_free(&lists);
}
END_TEST

/// The levels of a hierarchical all-reduce: eight GPUs a node, one-shot inside, rabenseifner between four nodes.
START_TEST(levels_have_names) {
    struct simulation run;
    simulate(&run, "{\"network\": {\"topology\": {\"type\": \"cluster\", \"nodes\": 4, \"node\": {\"type\": \"switch\", \"endpoints\": 8, "
                   "\"link\": \"nvlink4\"}, \"nic_link\": \"ib-ndr\", \"fabric\": {\"type\": \"switch\"}}}, \"workload\": {\"type\": "
                   "\"collective\", \"collective\": \"all-reduce\", \"algorithm\": \"hierarchical\", \"inner\": \"one-shot\", \"outer\": "
                   "\"rabenseifner\", \"size\": \"1MB\"}}");
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    // One-shot: 8 * 7 a node; rabenseifner among four: 2 log2(4) exchanges of each of 32 ranks.
    ck_assert_uint_eq(run.result.messages, 4 * 8 * 7 + 32 * 4);
    simulation_free(&run);
}
END_TEST

Suite *test_matrix_suite(void);
Suite *test_matrix_suite(void) {
    Suite *suite = suite_create("matrix");
    TCase *all = tcase_create("all");
    tcase_add_test(all, sizes_rows_and_the_diagonal);
    tcase_add_test(all, equal_sizes_are_direct);
    tcase_add_test(all, a_csv_file);
    tcase_add_test(all, levels_have_names);
    suite_add_tcase(suite, all);
    return suite;
}
