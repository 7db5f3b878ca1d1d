// The same collectives in SimGrid (s4u), for `make bench SIMGRID=1`: a platform with the topology of weft's row, rates and
// latencies as they are (model CM02 without correction factors).
// usage: simgrid-driver reduce|exchange torus DIM... BYTES | reduce|exchange switch ENDPOINTS BYTES
// Prints the CPU time of the simulation (one thread), platform excluded, and the simulated time.
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

static constexpr double torus_bandwidth = 45e9, switch_bandwidth = 50e9, switch_latency = 500e-9;

/// The torus zone names its hosts by a number; C order there counts the first dim fastest, which on cubes is the same graph.
static std::vector<sg::Host *> build_torus(const std::vector<unsigned long> &dims, double latency) {
    std::vector<sg::Host *> hosts;
    auto make_host = [&hosts](sg::NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
        sg::Host *host = zone->create_host("h" + std::to_string(id), 1e9);
        host->seal();
        if (hosts.size() <= id) hosts.resize(id + 1);
        hosts[id] = host;
        return std::make_pair(host->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint *>(nullptr));
    };
    sg::create_torus_zone("torus", nullptr, dims, sg::ClusterCallbacks(make_host), torus_bandwidth, latency,
                          sg::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
    return hosts;
}

static std::vector<sg::Host *> build_switch(unsigned long endpoints) {
    std::vector<sg::Host *> hosts;
    sg::NetZone *zone = sg::create_star_zone("switch");
    for (unsigned long e = 0; e < endpoints; e++) {
        sg::Host *host = zone->create_host("h" + std::to_string(e), 1e9);
        const sg::SplitDuplexLink *link = zone->create_split_duplex_link("l" + std::to_string(e), switch_bandwidth);
        const_cast<sg::SplitDuplexLink *>(link)->set_latency(switch_latency)->seal();
        zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg::LinkInRoute::Direction::UP}}, true);
        hosts.push_back(host->seal());
    }
    zone->seal();
    return hosts;
}

/// Ring all-reduce: 2(p-1) steps, each a block to the right and one from the left.
static void reduce(const std::vector<sg::Host *> &hosts, uint64_t bytes) {
    size_t ranks = hosts.size();
    for (size_t rank = 0; rank < ranks; rank++) {
        sg::ActorPtr actor = sg::Actor::create("r" + std::to_string(rank), hosts[rank], [rank, ranks, bytes] {
            static int payload;
            sg::Mailbox *in = sg::Mailbox::by_name(std::to_string(rank));
            sg::Mailbox *out = sg::Mailbox::by_name(std::to_string((rank + 1) % ranks));
            std::vector<sg::CommPtr> sent;
            for (size_t step = 0; step < 2 * (ranks - 1); step++) {
                sent.push_back(out->put_async(&payload, bytes));
                in->get<int>();
            }
            sg::Comm::wait_all(sent);
        });
        // a message leaves when it is sent, not when it is asked for
        sg::Mailbox::by_name(std::to_string(rank))->set_receiver(actor);
    }
}

/// All-to-all: every pair at once.
static void exchange(const std::vector<sg::Host *> &hosts, uint64_t bytes) {
    sg::Actor::create("all", hosts[0], [&hosts, bytes] {
        std::vector<sg::CommPtr> sent;
        for (size_t from = 0; from < hosts.size(); from++)
            for (size_t k = 1; k < hosts.size(); k++)
                sent.push_back(sg::Comm::sendto_async(hosts[from], hosts[(from + k) % hosts.size()], bytes));
        sg::Comm::wait_all(sent);
    });
}

int main(int argc, char **argv) {
    std::vector<char *> arguments = {argv[0],
                                     const_cast<char *>("--cfg=network/model:CM02"),
                                     const_cast<char *>("--cfg=network/crosstraffic:0"),
                                     const_cast<char *>("--cfg=network/TCP-gamma:0"),
                                     const_cast<char *>("--cfg=network/latency-factor:1"),
                                     const_cast<char *>("--cfg=network/bandwidth-factor:1"),
                                     const_cast<char *>("--cfg=contexts/stack-size:64"),
                                     const_cast<char *>("--log=root.thresh:error")};
    int count = static_cast<int>(arguments.size());
    sg::Engine engine(&count, arguments.data());
    if (argc < 5) {
        std::fprintf(stderr, "usage: simgrid-driver reduce|exchange torus DIM... BYTES, or ... switch ENDPOINTS BYTES\n");
        return 2;
    }
    const std::string work = argv[1], shape = argv[2];
    std::vector<unsigned long> dims;
    for (int i = 3; i + 1 < argc; i++) dims.push_back(std::strtoul(argv[i], nullptr, 10));
    const uint64_t bytes = std::strtoull(argv[argc - 1], nullptr, 10);
    const double torus_latency = work == "reduce" ? 1e-6 : 500e-9;
    const std::vector<sg::Host *> hosts = shape == "torus" ? build_torus(dims, torus_latency) : build_switch(dims[0]);
    const std::clock_t begin = std::clock();
    if (work == "reduce")
        reduce(hosts, bytes);
    else
        exchange(hosts, bytes);
    engine.run();
    const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("cpu %.6f s simulated %.9f s\n", cpu_s, sg::Engine::get_clock());
    return 0;
}
