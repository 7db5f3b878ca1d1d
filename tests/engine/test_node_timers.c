// Timers by node, and the tree of the least times of nodes: against plain lists.
#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/node_timers.h"
#include "engine/time_tree.h"

// Adds, pops and first ones put off, mixed: each node gives its timers in the order of time, then of setting.
START_TEST(each_node_in_order) {
    enum { PLACES = 5, STEPS = 30000, TIMES = 50 };
    struct node_timers timers;
    struct random_stream random;
    node_timers_init(&timers, PLACES);
    random_seed(&random, 1);
    uint32_t *set = allocate(STEPS * sizeof *set); // per cookie: place * TIMES + time; UINT32_MAX once popped
    uint32_t count = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t place = (uint32_t)random_below(&random, PLACES);
        if (!node_timers_some(&timers, place) || random_below(&random, 20) < (step / 1000 % 2 ? 9 : 11)) {
            uint32_t time = (uint32_t)random_below(&random, TIMES);
            set[count] = place * TIMES + time;
            node_timers_add(&timers, place, time, count, count);
            count++;
            continue;
        }
        uint32_t least = UINT32_MAX;
        for (uint32_t i = count; i-- > 0;)
            if (set[i] / TIMES == place && (least == UINT32_MAX || set[i] <= set[least])) least = i;
        ck_assert_int_eq(node_timers_next(&timers, place), set[least] % TIMES);
        ck_assert_uint_eq(node_timers_cookie(&timers, place), least);
        if (random_below(&random, 3) == 0) {
            set[least] += (uint32_t)random_below(&random, TIMES - set[least] % TIMES);
            node_timers_put_off(&timers, place, set[least] % TIMES);
            continue;
        }
        ck_assert_uint_eq(node_timers_pop(&timers, place), least);
        set[least] = UINT32_MAX;
    }
    size_t left = 0;
    for (uint32_t i = 0; i < count; i++) left += set[i] != UINT32_MAX;
    ck_assert_uint_eq(timers.live, left);
    free(set);
    node_timers_free(&timers);
}
END_TEST

// A million timers of one node, set in the order of time or against it.
START_TEST(many_of_one_node) {
    enum { COUNT = 1000000 };
    for (int rising = 0; rising < 2; rising++) {
        struct node_timers timers;
        node_timers_init(&timers, 1);
        for (uint32_t i = 0; i < COUNT; i++) node_timers_add(&timers, 0, rising ? i : COUNT - i, i, i);
        for (uint32_t i = 0; i < COUNT; i++) ck_assert_uint_eq(node_timers_pop(&timers, 0), rising ? i : COUNT - 1 - i);
        ck_assert_int_eq(node_timers_next(&timers, 0), INT64_MAX);
        node_timers_free(&timers);
    }
}
END_TEST

/// That every group's time is a bound from below on those in it, and every place is in one group of its domain.
static void check_tree(const struct time_tree *tree, const struct domains *domains) {
    uint32_t places = domains->items[domains->count - 1].end, in_groups = 0, roots = 0;
    for (uint32_t g = 0; g < tree->group_count; g++) {
        const struct time_group *group = &tree->groups[g];
        ck_assert_uint_le(group->end - group->first, GROUP_MOST);
        const int64_t *times = group->of_places ? tree->node_next : tree->group_next;
        ck_assert_int_le(tree->group_next[g], least_time(times, group->first, group->end));
        for (uint32_t i = group->first; i < group->end; i++)
            ck_assert_uint_eq(group->of_places ? tree->group_of[i] : tree->groups[i].parent, g);
        if (group->of_places) in_groups += group->end - group->first;
        if (group->domain == NO_DOMAIN) continue;
        roots++;
    }
    ck_assert_uint_eq(in_groups, places);
    ck_assert_uint_eq(roots, domains->count);
    for (uint32_t d = 0; d < domains->count; d++)
        for (uint32_t p = domains->items[d].first; p < domains->items[d].end; p++) {
            uint32_t group = tree->group_of[p];
            while (tree->groups[group].domain == NO_DOMAIN) group = tree->groups[group].parent;
            ck_assert_uint_eq(tree->groups[group].domain, d);
        }
}

static void renew_all(struct time_tree *tree) {
    for (uint32_t g = (uint32_t)tree->group_count; g-- > 0;) time_tree_renew(tree, g); // children come after their parents
}

// _i is the seed: domains of up to 600 nodes, one or many.
START_TEST(least_times_of_groups) {
    struct random_stream random;
    random_seed(&random, (uint64_t)_i);
    struct domain items[100];
    struct domains domains = {.items = items, .count = 1 + (uint32_t)random_below(&random, _i % 2 ? 100 : 3)};
    uint32_t places = 0;
    for (uint32_t d = 0; d < domains.count; d++) {
        items[d].first = places;
        items[d].end = places += 1 + (uint32_t)random_below(&random, _i % 3 ? 20 : 600);
    }
    struct time_tree tree;
    time_tree_build(&tree, &domains);
    ck_assert_int_eq(tree.group_next[0], INT64_MAX);
    for (int i = 0; i < 500; i++) {
        time_tree_lower(&tree, (uint32_t)random_below(&random, places), (int64_t)random_below(&random, 1000));
        ck_assert_int_eq(tree.group_next[0], least_time(tree.node_next, 0, places));
        if (i % 50) continue;
        tree.node_next[random_below(&random, places)] = INT64_MAX;
        renew_all(&tree);
        check_tree(&tree, &domains);
    }
    time_tree_free(&tree);
}
END_TEST

Suite *test_node_timers_suite(void) {
    Suite *suite = suite_create("node times");
    TCase *tests = tcase_create("node times");
    tcase_add_test(tests, each_node_in_order);
    tcase_add_test(tests, many_of_one_node);
    tcase_add_loop_test(tests, least_times_of_groups, 0, 30);
    suite_add_tcase(suite, tests);
    return suite;
}
