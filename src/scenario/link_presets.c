// Bandwidths are published figures of one direction. Latencies are those of the wire and the silicon on it, for one link; what software
// adds is a cost of ranks (send_overhead), as the systems have it. NVLink, InfiniBand and Ethernet take half of the hardware latency of a
// step in NCCL's tuning model (src/graph/tuning.cc, hwLat of ring and protocol LL, from 2.19 on), which is a path of two links.
#include "scenario/link_presets.h"

#include <stddef.h>
#include <string.h>

#define NVLINK_LATENCY "latency: half of the 0.6 us of NCCL's tuning model for a step over NVLink (LL)"
#define INFINIBAND_LATENCY "latency: half of the 2.7 us of NCCL's tuning model for a step over a network (LL)"
#define ETHERNET_LATENCY "latency: as InfiniBand's, half of the 2.7 us of NCCL's tuning model (assumed)"
#define ICI_LATENCY "latency: lecture P5's alpha of 1 us a link (assumed)"
#define PCIE_LATENCY "latency: about half of the 550 ns that a 64 B read takes there and back (Neugebauer et al., SIGCOMM 2018)"

const struct link_preset link_presets[] = {
    {"nvlink3", "300GB/s", "300ns", "A100 into NVSwitch, 12 links of 25 GB/s",
     "bandwidth: NVIDIA A100 data sheet, 600 GB/s both ways; " NVLINK_LATENCY},
    {"nvlink4", "450GB/s", "300ns", "H100 into NVSwitch, 18 links of 25 GB/s",
     "bandwidth: NVIDIA H100 data sheet, 900 GB/s both ways; " NVLINK_LATENCY},
    {"nvlink5", "900GB/s", "300ns", "B200 into NVSwitch, 18 links of 50 GB/s",
     "bandwidth: NVIDIA GB200 NVL72 data sheet, 1.8 TB/s both ways; " NVLINK_LATENCY},
    {"ib-hdr", "25GB/s", "1.35us", "InfiniBand HDR, 200 Gb/s",
     "bandwidth: InfiniBand Trade Association roadmap, 4x HDR; " INFINIBAND_LATENCY},
    {"ib-ndr", "50GB/s", "1.35us", "InfiniBand NDR, 400 Gb/s",
     "bandwidth: InfiniBand Trade Association roadmap, 4x NDR; " INFINIBAND_LATENCY},
    {"ib-xdr", "100GB/s", "1.35us", "InfiniBand XDR, 800 Gb/s",
     "bandwidth: InfiniBand Trade Association roadmap, 4x XDR; " INFINIBAND_LATENCY},
    {"pcie4-x16", "31507692307B/s", "275ns", "PCI Express 4.0, 16 lanes", "bandwidth: 16 lanes x 16 GT/s x 128/130; " PCIE_LATENCY},
    {"pcie5-x16", "63015384615B/s", "275ns", "PCI Express 5.0, 16 lanes", "bandwidth: 16 lanes x 32 GT/s x 128/130; " PCIE_LATENCY},
    {"ethernet-100g", "12.5GB/s", "1.35us", "100 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 100 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ethernet-200g", "25GB/s", "1.35us", "200 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 200 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ethernet-400g", "50GB/s", "1.35us", "400 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 400 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ethernet-800g", "100GB/s", "1.35us", "800 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 800 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ici-v4", "45GB/s", "1us", "TPU v4, one ICI link",
     "bandwidth: Austin et al., How to Scale Your Model (2025), 45 GB/s one way; " ICI_LATENCY},
    {"ici-v5e", "45GB/s", "1us", "TPU v5e, one ICI link", "bandwidth: lecture P5, 45 GB/s one way; " ICI_LATENCY},
    {"ici-v5p", "90GB/s", "1us", "TPU v5p, one ICI link",
     "bandwidth: Austin et al., How to Scale Your Model (2025), 90 GB/s one way; " ICI_LATENCY},
    {"infinity-fabric", "64GB/s", "600ns", "MI300X, one Infinity Fabric link between two devices",
     "bandwidth: AMD CDNA 3 white paper, 128 GB/s both ways; latency: taken as NVLink's 0.6 us of a step, here over one link (assumed)"},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct link_preset *link_preset_find(const char *name) {
    for (const struct link_preset *preset = link_presets; preset->name; preset++)
        if (!strcmp(preset->name, name)) return preset;
    return NULL;
}
