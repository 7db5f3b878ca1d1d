// What shapes refuse before anything is built: the key that is named, and what the sentence says.
#include <check.h>
#include <string.h>

#include "shapes.h"

static const struct {
    const char *line, *where, *text;
} refused[] = {
    {"switch endpoints=4", "link", "missing"},
    {"ring endpoints=4", "link", "missing"},
    {"ring endpoints=4 link=9@9", "link", "latency"},
    {"torus dims=4,4", "link", "one per dim"},
    {"torus dims=4,4 link=9@9", "link", "latency"},
    {"torus dims=4,4 links=9/9,9@9", "links/1", "latency"},
    {"torus dims=4,4 links=9/9", "links", "1 entries where there are 2 dims"},
    {"torus dims=4,4 link=9/9 links=9/9,9/9", "links", "not both"},
    {"torus dims=2,2,2,2,2,2,2 link=9/9", "dims", "1 to 6"},
    {"torus dims=4,0 link=9/9", "dims", "at least 1"},
    {"torus dims=100000,100000,100000 link=9/9", "", "more than 2147483648 endpoints"},
    {"torus dims=4294967296,4294967296,4294967296 link=9/9", "", "more than 2147483648 endpoints"},
    {"torus dims=1000,1000,1000 link=9/9", "", "more than 4294967293 links"},
    {"mesh dims=4,4 link=9@9", "link", "latency"},
    {"mesh dims=100000,100000 link=9/9", "", "endpoints"},
    {"full endpoints=4 link=9@9", "link", "latency"},
    {"full endpoints=100000 link=9/9", "", "links"},
    {"hypercube dimension=4 link=9@9", "link", "latency"},
    {"hypercube dimension=28 link=9/9", "dimension", "0 to 27"},
    {"fat-tree k=3 link=9/9", "k", "k must be even"},
    {"fat-tree k=4", "link", "one per level"},
    {"fat-tree k=4 links=9/9,9/9", "links", "2 entries where there are 3 levels"},
    {"fat-tree k=100000 link=9/9", "", "endpoints"},
    {"fat-tree k=4294967296 link=9/9", "", "endpoints"},
    {"leaf-spine leaves=2 hosts_per_leaf=2 spines=2 up_link=9/9", "host_link", "missing"},
    {"leaf-spine leaves=2 hosts_per_leaf=2 spines=2 host_link=9/9", "up_link", "missing"},
    {"leaf-spine leaves=100000 hosts_per_leaf=2 spines=100000 host_link=9/9 up_link=9/9", "", "links"},
    {"dragonfly p=2 a=4 h=2", "link", "local_link"},
    {"dragonfly p=2 a=4 h=2 local_link=9/9", "link", "global_link"},
    {"dragonfly p=2000000000 a=2000000000 h=2000000000 link=9/9", "", "endpoints"},
    {"twisted-torus dims=4,4,4 link=9/9", "dims", "K and of 2K"},
    {"twisted-torus dims=4,8,16 link=9/9", "dims", "K and of 2K"},
    {"twisted-torus dims=8 link=9/9", "dims", "2 or 3"},
    {"twisted-torus dims=1,2 link=9/9", "dims", "at least 2"},
    {"twisted-torus dims=2,4 link=9@9", "link", "latency"},
    {"graph nodes=A:,B: links={from=A to=B bandwidth=9 latency=9}", "nodes", "at least one endpoint"},
    {"graph nodes=2 links={from=0 to=1 bandwidth=9 latency=9},{from=0 to=2 bandwidth=9 latency=9}", "links/1/to", "no node \"2\""},
    {"graph nodes=A,B links={from=C to=B bandwidth=9 latency=9}", "links/0/from", "no node \"C\""},
    {"graph nodes=A,B links={from=A to=A bandwidth=9 latency=9}", "links/0", "itself"},
    {"graph nodes=A,B,A links={from=A to=B bandwidth=9 latency=9}", "nodes", "\"A\""},
    {"cluster nodes=2 node={switch endpoints=2 link=9/9} fabric={switch}", "nic_link", "missing"},
    {"cluster nodes=2 node={ring endpoints=2 link=9@9} nic_link=9/9 fabric={switch}", "node/link", "latency"},
    {"cluster nodes=2 node={mesh dims=100000,100000 link=9/9} nic_link=9/9 fabric={switch}", "", "endpoints"},
    {"cluster nodes=2 node={graph nodes=2 links={from=0 to=2 bandwidth=9 latency=9}} nic_link=9/9 fabric={switch}", "node/links/0/to",
     "no node"},
    {"cluster nodes=2 node={switch endpoints=2 link=9/9} nic_link=9/9 fabric={leaf-spine leaves=2 spines=2000000 ecmp=spray up_link=9/9}",
     "fabric/ecmp", "at most 1048576"},
    {"cluster nodes=2 nics_per_node=3 node={switch endpoints=2 link=9/9} nic_link=9/9 fabric={switch}", "nics_per_node",
     "at most one each"},
    {"cluster nodes=2147483647 node={switch endpoints=2 link=9/9} nic_link=9/9 fabric={switch}", "", "endpoints"},
    {"cluster nodes=3 node={switch endpoints=3 link=9/9} nic_link=9/9 fabric={leaf-spine leaves=2 spines=1 up_link=9/9}", "fabric/leaves",
     "evenly"},
    {"cluster nodes=6 node={switch endpoints=4 link=9/9} nic_link=9/9 fabric={leaf-spine leaves=6 spines=1 up_link=9/9 rails=true}",
     "fabric/leaves", "multiple of the rails"},
    {"cluster nodes=6 node={switch endpoints=4 link=9/9} nic_link=9/9 fabric={leaf-spine leaves=6 spines=1}", "fabric/up_link", "missing"},
    {"cluster nodes=6 node={switch endpoints=4 link=9/9} nic_link=9/9 fabric={fat-tree k=4 up_link=9/9}", "fabric/k",
     "16 places for 24 NICs"},
    {"cluster nodes=6 node={switch endpoints=4 link=9/9} nic_link=9/9 fabric={fat-tree k=5 up_link=9/9}", "fabric/k", "even"},
};

START_TEST(a_wrong_shape_names_its_key) {
    struct error err = {0};
    struct topology *topology = shape_try(refused[_i].line, &err);
    ck_assert_msg(topology == NULL, "%s was built", refused[_i].line);
    ck_assert_int_eq(err.kind, ERROR_INPUT);
    ck_assert_str_eq(err.where, refused[_i].where);
    ck_assert_msg(strstr(err.text, refused[_i].text) != NULL, "%s: \"%s\" lacks \"%s\"", refused[_i].line, err.text, refused[_i].text);
}
END_TEST

START_TEST(alpha_suits_paths_through_switches) {
    static const char *const lines[] = {
        "switch endpoints=4 link=9@9",
        "fat-tree k=4 link=9@9",
        "leaf-spine leaves=2 hosts_per_leaf=2 spines=2 host_link=9@9 up_link=9@9",
        "cluster nodes=2 node={switch endpoints=2 link=9@9} nic_link=9@9 fabric={switch}",
    };
    shape_free(shape_build(lines[_i]));
}
END_TEST

Suite *test_shape_refusals_suite(void);
Suite *test_shape_refusals_suite(void) {
    Suite *suite = suite_create("shape_refusals");
    TCase *tcase = tcase_create("refusals");
    tcase_add_loop_test(tcase, a_wrong_shape_names_its_key, 0, sizeof refused / sizeof *refused);
    tcase_add_loop_test(tcase, alpha_suits_paths_through_switches, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}
