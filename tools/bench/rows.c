// What is timed. Sizes, rates and latencies are those of the speeds that are published for other simulators.
#include <string.h>

#include "row.h"

#define ICI "\"link\":{\"bandwidth\":\"45GB/s\",\"latency\":\"500ns\"}}"
#define RING(p) "{\"type\":\"torus\",\"dims\":[" #p "],\"link\":{\"bandwidth\":\"45GB/s\",\"latency\":\"1us\"}}"
#define TORUS(dims) "{\"type\":\"torus\",\"dims\":[" dims "]," ICI
#define SWITCH(p) "{\"type\":\"switch\",\"endpoints\":" #p ",\"link\":{\"bandwidth\":\"50GB/s\",\"latency\":\"500ns\"}}"
#define CLUSTER                                                                                                                         \
    "{\"type\":\"cluster\",\"nodes\":32,\"node\":{\"type\":\"switch\",\"endpoints\":8,\"link\":{\"bandwidth\":\"450GB/s\",\"latency\":" \
    "\"50ns\"}},\"nics_per_node\":8,\"nic_link\":{\"bandwidth\":\"50GB/s\",\"latency\":\"2500ns\"},\"fabric\":{\"type\":\"switch\"}}"

#define NODES                                                                                                                             \
    "{\"type\":\"cluster\",\"nodes\":8192,\"node\":{\"type\":\"switch\",\"endpoints\":8,\"link\":{\"bandwidth\":\"450GB/s\",\"latency\":" \
    "\"300ns\"}},\"nics_per_node\":8,\"nic_link\":{\"bandwidth\":\"50GB/s\",\"latency\":\"1350ns\"},\"fabric\":{\"type\":\"switch\"}}"
#define LARGE_TORUS \
    "{\"type\":\"torus\",\"dims\":[100,100,100],\"ties\":\"positive\",\"link\":{\"bandwidth\":\"45GB/s\",\"latency\":\"500ns\"}}"
#define ALL_REDUCE(method, bytes) \
    "{\"type\":\"collective\",\"collective\":\"all-reduce\",\"algorithm\":\"" method "\",\"size\":\"" bytes "\"}"

enum { KI = 1024, MB = 1000000 };

#define ROW(in, key, says, shape) .group = (in), .name = (key), .title = (says), .topology = (shape)
#define REDUCE(in, key, says, p, chunk, args) \
    { ROW(in, key, says, RING(p)), .kind = ROW_ALL_REDUCE, .bytes = 64 * KI, .chunk_bytes = (chunk), .peer = (args) }
#define EXCHANGE(in, key, says, shape, each, args) \
    { ROW(in, key, says, shape), .kind = ROW_ALL_TO_ALL, .bytes = (each), .chunk_bytes = 4 * KI, .peer = (args) }
#define RANDOM(in, key, says, dims, count, load, args)                                                                    \
    {                                                                                                                     \
        ROW(in, key, says, TORUS(dims)), .kind = ROW_RANDOM, .bytes = 4 * KI, .chunk_bytes = 4 * KI, .messages = (count), \
                                         .load_percent = (load), .peer = (args)                                           \
    }
// a gap at which the busier of NIC and device links carries 0.6
#define LOCAL(in, key, says, count, args)                                                                                              \
    {                                                                                                                                  \
        ROW(in, key, says, CLUSTER), .kind = ROW_RANDOM, .bytes = 4 * KI, .chunk_bytes = 4 * KI, .messages = (count), .gap_ps = 13700, \
                                     .inside_percent = 90, .peer = (args)                                                              \
    }
#define CHUNKS(key, says, chunk) \
    { ROW("chunks", key, says, SWITCH(64)), .kind = ROW_ALL_REDUCE, .bytes = KI * KI, .chunk_bytes = (chunk) }

const struct group groups[] = {
    {"speed", "Speed", "heap,window,shortcuts,threads"},
    {"small", "Small rows, whose instructions are counted", "heap,window"},
    {"endpoints", "Growth with endpoints: 4 random messages each, torus, load 0.6", "auto"},
    {"messages", "Growth with messages: random traffic, 16x16x16 torus, load 0.6", "auto"},
    {"chunks", "Growth with chunks: ring all-reduce of 64 ranks over a switch, blocks of 1 MiB", "auto"},
    {"time", "Growth with simulated time: 64 random messages an endpoint, 8x8x8 torus", "auto"},
    {"scale", "Large runs", "auto,shortcuts"},
    {"simgrid", "SimGrid", "auto"},
    {0},
};

const struct row rows[] = {
    REDUCE("speed", "ring-64", "ring all-reduce, 64 ranks", 64, 64 * KI, "ring 3 3 64 1"),
    REDUCE("speed", "ring-64x16", "ring all-reduce, 64 ranks, 16 chunks a step", 64, 4 * KI, "ring 3 3 64 16"),
    REDUCE("speed", "ring-1024", "ring all-reduce, 1024 ranks", 1024, 64 * KI, "ring 3 3 1024 1"),
    REDUCE("speed", "ring-1024x16", "ring all-reduce, 1024 ranks, 16 chunks a step", 1024, 4 * KI, "ring 3 3 1024 16"),
    EXCHANGE("speed", "a2a-ring-64", "all-to-all at once, ring of 64", RING(64), 4 * KI, NULL),
    EXCHANGE("speed", "a2a-switch-256", "all-to-all at once, switch of 256, 16 chunks a pair", SWITCH(256), 64 * KI, "switch 3 3 256 16"),
    EXCHANGE("speed", "a2a-8x8x8", "all-to-all at once, 8x8x8 torus", TORUS("8,8,8"), 4 * KI, "a2a 3 3 8"),
    EXCHANGE("speed", "a2a-16x16x16", "all-to-all at once, 16x16x16 torus", TORUS("16,16,16"), 4 * KI, "a2a 3 1 16"),
    RANDOM("speed", "random-16x16x16", "64 random messages an endpoint, 16x16x16 torus", "16,16,16", 64, 60, "rand 3 3 16 64"),
    LOCAL("speed", "random-cluster", "2000 random messages an endpoint, 32 nodes of 8, 90 % inside", 2000, "cluster 4 3 0 2000 0.9"),
    EXCHANGE("speed", "a2a-switch-2048", "all-to-all at once, switch of 2048", SWITCH(2048), 4 * KI, "switch 3 3 2048 1"),

    REDUCE("small", "small-ring", "ring all-reduce, 64 ranks", 64, 64 * KI, NULL),
    REDUCE("small", "small-ring-x16", "ring all-reduce, 64 ranks, 16 chunks a step", 64, 4 * KI, NULL),
    EXCHANGE("small", "small-a2a-ring", "all-to-all at once, ring of 64", RING(64), 4 * KI, NULL),
    EXCHANGE("small", "small-a2a-switch", "all-to-all at once, switch of 64, 16 chunks a pair", SWITCH(64), 64 * KI, NULL),
    EXCHANGE("small", "small-a2a-torus", "all-to-all at once, 5x5x5 torus", TORUS("5,5,5"), 4 * KI, NULL),
    RANDOM("small", "small-random", "16 random messages an endpoint, 8x8x8 torus", "8,8,8", 16, 60, NULL),
    LOCAL("small", "small-cluster", "100 random messages an endpoint, 32 nodes of 8, 90 % inside", 100, NULL),

    RANDOM("endpoints", "endpoints-100", "100 endpoints, 10x10", "10,10", 4, 60, NULL),
    RANDOM("endpoints", "endpoints-1000", "1,000 endpoints, 10x10x10", "10,10,10", 4, 60, NULL),
    RANDOM("endpoints", "endpoints-10000", "10,000 endpoints, 20x20x25", "20,20,25", 4, 60, NULL),
    RANDOM("endpoints", "endpoints-100000", "100,000 endpoints, 50x50x40", "50,50,40", 4, 60, NULL),
    RANDOM("endpoints", "endpoints-1000000", "1,000,000 endpoints, 100x100x100", "100,100,100", 4, 60, NULL),

    RANDOM("messages", "messages-1", "1 message an endpoint", "16,16,16", 1, 60, NULL),
    RANDOM("messages", "messages-10", "10 messages an endpoint", "16,16,16", 10, 60, NULL),
    RANDOM("messages", "messages-100", "100 messages an endpoint", "16,16,16", 100, 60, NULL),
    RANDOM("messages", "messages-1000", "1,000 messages an endpoint", "16,16,16", 1000, 60, NULL),

    CHUNKS("chunks-1", "1 chunk a block", 0),
    CHUNKS("chunks-16", "16 chunks a block", 64 * KI),
    CHUNKS("chunks-256", "256 chunks a block", 4 * KI),
    CHUNKS("chunks-4096", "4,096 chunks a block", 256),
    {ROW("chunks", "chunks-neighbours", "4,096 chunks a block, ring: one link each", RING(64)), .kind = ROW_ALL_REDUCE, .bytes = KI * KI,
     .chunk_bytes = 256},

    RANDOM("time", "time-60", "load 0.6", "8,8,8", 64, 60, NULL),
    RANDOM("time", "time-10", "load 0.1", "8,8,8", 64, 10, NULL),
    RANDOM("time", "time-1", "load 0.01", "8,8,8", 64, 1, NULL),
    {ROW("time", "time-idle", "a message a second and endpoint", TORUS("8,8,8")), .kind = ROW_RANDOM, .bytes = 4 * KI, .messages = 64,
     .gap_ps = INT64_C(1000000000000)},

    {ROW("scale", "scale-fat-tree", "permutation of 16,384 ranks, 1 MB each, fat-tree of k = 42",
         "{\"type\":\"fat-tree\",\"k\":42,\"link\":{\"bandwidth\":\"50GB/s\",\"latency\":\"500ns\"}}"),
     .kind = ROW_PERMUTATION, .ranks = 16384, .bytes = MB, .chunk_bytes = 64 * KI},
    {ROW("scale", "scale-switch", "all-to-all at once, 1 MB a pair, switch of 2048", SWITCH(2048)), .kind = ROW_ALL_TO_ALL, .bytes = MB,
     .chunk_bytes = 64 * KI},
    {ROW("scale", "scale-ring", "ring all-reduce of 64 MiB, 65,536 ranks: 8,192 nodes of 8", NODES), .kind = ROW_SCENARIO,
     .chunk_bytes = 64 * KI, .workload = ALL_REDUCE("ring", "64MiB")},
    {ROW("scale", "scale-hierarchical", "hierarchical all-reduce of 64 MiB, 65,536 ranks: 8,192 nodes of 8", NODES), .kind = ROW_SCENARIO,
     .chunk_bytes = 64 * KI, .workload = ALL_REDUCE("hierarchical", "64MiB")},
    {ROW("scale", "scale-a2a-torus", "all-to-all at once, 4 KiB a pair, 100x100x100 torus, 10^12 messages", LARGE_TORUS),
     .kind = ROW_SCENARIO, .chunk_bytes = 4 * KI,
     .workload = "{\"type\":\"collective\",\"collective\":\"all-to-all\",\"algorithm\":\"direct\",\"schedule\":\"all-at-once\","
                 "\"order\":\"shift\",\"size\":\"4096000000B\"}"},

    REDUCE("simgrid", "sg-ring-64", "ring all-reduce, ring of 64", 64, 64 * KI, "reduce torus 64"),
    {ROW("simgrid", "sg-ring-16x16", "ring all-reduce, 16x16 torus",
         "{\"type\":\"torus\",\"dims\":[16,16],\"link\":{\"bandwidth\":\"45GB/s\",\"latency\":\"1us\"}}"),
     .kind = ROW_ALL_REDUCE, .bytes = 64 * KI, .chunk_bytes = 64 * KI, .peer = "reduce torus 16 16"},
    EXCHANGE("simgrid", "sg-a2a-8x8", "all-to-all at once, 8x8 torus, 16 chunks a pair", TORUS("8,8"), 64 * KI, "exchange torus 8 8"),
    EXCHANGE("simgrid", "sg-a2a-switch-64", "all-to-all at once, switch of 64, 16 chunks a pair", SWITCH(64), 64 * KI,
             "exchange switch 64"),
    EXCHANGE("simgrid", "sg-a2a-switch-128", "all-to-all at once, switch of 128, 16 chunks a pair", SWITCH(128), 64 * KI,
             "exchange switch 128"),
    {0},
};

const struct row *row_find(const char *name) {
    for (const struct row *row = rows; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}
