#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "mapping/mapping.h"

enum { MOST = 1024 };

extern const struct mapping_type linear_mapping, list_mapping, random_mapping, snake_mapping, stride_mapping;

/// The start of every mapping's config, as its table describes it.
struct any_config {
    uint64_t given;
    union {
        int64_t number;
        struct integers list;
    };
};

static struct mapping_request grid(uint32_t dim_count, const uint32_t *dims) {
    struct mapping_request request = {.endpoints = 1, .dim_count = dim_count, .dims = dims, .seed = 1};
    for (uint32_t d = 0; d < dim_count; d++) request.endpoints *= dims[d];
    request.ranks = request.endpoints;
    return request;
}

static struct mapping_request plain(uint32_t endpoints) {
    return (struct mapping_request){.endpoints = endpoints, .ranks = endpoints, .seed = 1};
}

/// Places all endpoints with one number set (the seed, or the stride) and checks that each comes once.
static void place_all(const struct mapping_type *type, const struct mapping_request *request, int64_t number, uint32_t *places) {
    struct any_config config = {.given = 1, .number = number};
    struct error err = {0};
    bool seen[MOST] = {false};
    memset(places, 0xff, MOST * sizeof *places);
    ck_assert_msg(type->place(&config, request, places, &err), "%s", err.text);
    for (uint32_t i = 0; i < request->endpoints; i++) {
        ck_assert_uint_lt(places[i], request->endpoints);
        ck_assert(!seen[places[i]]);
        seen[places[i]] = true;
    }
    ck_assert_uint_eq(places[request->endpoints], UINT32_MAX);
}

static void assert_places(const uint32_t *places, const uint32_t *expected, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) ck_assert_msg(places[i] == expected[i], "rank %u is on %u, not on %u", i, places[i], expected[i]);
}

START_TEST(linear_is_the_identity) {
    uint32_t places[MOST];
    struct mapping_request request = plain(100);
    place_all(&linear_mapping, &request, 0, places);
    for (uint32_t i = 0; i < 100; i++) ck_assert_uint_eq(places[i], i);
}
END_TEST

START_TEST(snake_turns_at_every_line) {
    static const uint32_t two[] = {3, 4}, three[] = {2, 2, 3};
    static const uint32_t expected_two[] = {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11};
    static const uint32_t expected_three[] = {0, 1, 2, 5, 4, 3, 9, 10, 11, 8, 7, 6};
    uint32_t places[MOST];
    struct mapping_request request = grid(2, two);
    place_all(&snake_mapping, &request, 0, places);
    assert_places(places, expected_two, 12);
    request = grid(3, three);
    place_all(&snake_mapping, &request, 0, places);
    assert_places(places, expected_three, 12);
}
END_TEST

/// Steps between two endpoints of a mesh.
static uint32_t distance(uint32_t a, uint32_t b, const struct mapping_request *request) {
    uint32_t sum = 0;
    for (uint32_t d = request->dim_count; d-- > 0; a /= request->dims[d], b /= request->dims[d]) {
        uint32_t x = a % request->dims[d], y = b % request->dims[d];
        sum += x > y ? x - y : y - x;
    }
    return sum;
}

START_TEST(snake_neighbours_are_neighbours) {
    static const uint32_t shapes[][6] = {{16}, {1, 5}, {5, 1, 4}, {4, 4, 4}, {3, 2, 3, 2}, {2, 2, 2, 2, 2}, {2, 3, 1, 2, 3, 2}};
    static const uint32_t counts[] = {1, 2, 3, 3, 4, 5, 6};
    uint32_t places[MOST];
    struct mapping_request request = grid(counts[_i], shapes[_i]);
    place_all(&snake_mapping, &request, 0, places);
    for (uint32_t i = 1; i < request.endpoints; i++) ck_assert_uint_eq(distance(places[i - 1], places[i], &request), 1);
}
END_TEST

START_TEST(snake_without_dims_is_linear) {
    uint32_t places[MOST];
    struct mapping_request request = plain(9);
    place_all(&snake_mapping, &request, 0, places);
    for (uint32_t i = 0; i < 9; i++) ck_assert_uint_eq(places[i], i);
}
END_TEST

START_TEST(random_depends_on_its_seed_only) {
    uint32_t a[MOST], b[MOST];
    struct mapping_request request = plain(64);
    place_all(&random_mapping, &request, 3, a);
    request.seed = 99;
    place_all(&random_mapping, &request, 3, b);
    ck_assert_mem_eq(a, b, 64 * sizeof *a);
    place_all(&random_mapping, &request, 4, b);
    ck_assert_mem_ne(a, b, 64 * sizeof *a);
    request.seed = 3;
    place_all(&random_mapping, &request, -1, b); // none of its own: the scenario's
    ck_assert_mem_eq(a, b, 64 * sizeof *a);
}
END_TEST

START_TEST(random_is_fixed_for_ever) {
    static const uint32_t expected[] = {7, 0, 1, 4, 3, 2, 6, 5};
    uint32_t places[MOST];
    struct mapping_request request = plain(8);
    place_all(&random_mapping, &request, 1, places);
    assert_places(places, expected, 8);
}
END_TEST

START_TEST(stride_takes_every_sth) {
    static const uint32_t by_4[] = {0, 4, 8, 1, 5, 9, 2, 6, 3, 7};
    uint32_t places[MOST];
    struct mapping_request request = plain(10);
    place_all(&stride_mapping, &request, 4, places);
    assert_places(places, by_4, 10);
    for (int64_t by = 1; by < 24; by++) place_all(&stride_mapping, &request, by, places);
    place_all(&stride_mapping, &request, UINT32_MAX, places);
    for (uint32_t i = 0; i < 10; i++) ck_assert_uint_eq(places[i], i);
}
END_TEST

static bool place_list(size_t count, int64_t *endpoints, uint32_t *places, struct error *err) {
    struct any_config config = {.given = 1, .list = {count, endpoints}};
    struct mapping_request request = {.endpoints = 6, .ranks = 4};
    return list_mapping.place(&config, &request, places, err);
}

START_TEST(list_is_taken_as_it_is) {
    struct error err = {0};
    uint32_t places[6];
    ck_assert(place_list(4, (int64_t[]){5, 0, 3, 1}, places, &err));
    assert_places(places, (uint32_t[]){5, 0, 3, 1}, 4);
}
END_TEST

START_TEST(list_names_the_wrong_entry) {
    uint32_t places[6];
    struct error twice = {0}, beyond = {0}, few = {0}, many = {0};
    ck_assert(!place_list(4, (int64_t[]){5, 0, 5, 1}, places, &twice));
    ck_assert_str_eq(twice.where, "2");
    ck_assert_str_eq(twice.text, "endpoint 5 has rank 0 already");
    ck_assert(!place_list(4, (int64_t[]){5, 0, 1, 6}, places, &beyond));
    ck_assert_str_eq(beyond.where, "3");
    ck_assert_str_eq(beyond.text, "there is no endpoint 6; the last is 5");
    ck_assert(!place_list(3, (int64_t[]){5, 0, 1}, places, &few));
    ck_assert_str_eq(few.text, "the list has 3 endpoints, there are 4 ranks");
    ck_assert(!place_list(5, (int64_t[]){5, 0, 1, 2, 3}, places, &many));
}
END_TEST

Suite *test_mapping_suite(void) {
    Suite *suite = suite_create("mapping");
    TCase *tests = tcase_create("mapping");
    tcase_add_test(tests, linear_is_the_identity);
    tcase_add_test(tests, snake_turns_at_every_line);
    tcase_add_loop_test(tests, snake_neighbours_are_neighbours, 0, 7);
    tcase_add_test(tests, snake_without_dims_is_linear);
    tcase_add_test(tests, random_depends_on_its_seed_only);
    tcase_add_test(tests, random_is_fixed_for_ever);
    tcase_add_test(tests, stride_takes_every_sth);
    tcase_add_test(tests, list_is_taken_as_it_is);
    tcase_add_test(tests, list_names_the_wrong_entry);
    suite_add_tcase(suite, tests);
    return suite;
}
