// Bandwidths are published figures of one direction. Latencies are orders of magnitude: lecture P5 assumes 2 us for NVLink and 5 us for
// InfiniBand, both for a path of two links through one switch (so half of it a link), and 1 us for an ICI link.
#include "scenario/link_presets.h"

#include <stddef.h>
#include <string.h>

#define NVLINK_LATENCY "latency: half of lecture P5's alpha of 2 us through one NVSwitch (assumed)"
#define INFINIBAND_LATENCY "latency: half of lecture P5's alpha of 5 us through one switch (assumed)"
#define ETHERNET_LATENCY "latency: taken as InfiniBand's in lecture P5, half of 5 us (assumed)"
#define ICI_LATENCY "latency: lecture P5's alpha of 1 us a link (assumed)"
#define PCIE_LATENCY "latency: about half of the 550 ns that a 64 B read takes there and back (Neugebauer et al., SIGCOMM 2018)"

const struct link_preset link_presets[] = {
    {"nvlink3", "300GB/s", "1us", "A100 into NVSwitch, 12 links of 25 GB/s",
     "bandwidth: NVIDIA A100 data sheet, 600 GB/s both ways; " NVLINK_LATENCY},
    {"nvlink4", "450GB/s", "1us", "H100 into NVSwitch, 18 links of 25 GB/s",
     "bandwidth: NVIDIA H100 data sheet, 900 GB/s both ways; " NVLINK_LATENCY},
    {"nvlink5", "900GB/s", "1us", "B200 into NVSwitch, 18 links of 50 GB/s",
     "bandwidth: NVIDIA GB200 NVL72 data sheet, 1.8 TB/s both ways; " NVLINK_LATENCY},
    {"ib-hdr", "25GB/s", "2.5us", "InfiniBand HDR, 200 Gb/s",
     "bandwidth: InfiniBand Trade Association roadmap, 4x HDR; " INFINIBAND_LATENCY},
    {"ib-ndr", "50GB/s", "2.5us", "InfiniBand NDR, 400 Gb/s",
     "bandwidth: InfiniBand Trade Association roadmap, 4x NDR; " INFINIBAND_LATENCY},
    {"ib-xdr", "100GB/s", "2.5us", "InfiniBand XDR, 800 Gb/s",
     "bandwidth: InfiniBand Trade Association roadmap, 4x XDR; " INFINIBAND_LATENCY},
    {"pcie4-x16", "31507692307B/s", "275ns", "PCI Express 4.0, 16 lanes", "bandwidth: 16 lanes x 16 GT/s x 128/130; " PCIE_LATENCY},
    {"pcie5-x16", "63015384615B/s", "275ns", "PCI Express 5.0, 16 lanes", "bandwidth: 16 lanes x 32 GT/s x 128/130; " PCIE_LATENCY},
    {"ethernet-100g", "12.5GB/s", "2.5us", "100 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 100 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ethernet-200g", "25GB/s", "2.5us", "200 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 200 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ethernet-400g", "50GB/s", "2.5us", "400 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 400 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ethernet-800g", "100GB/s", "2.5us", "800 Gigabit Ethernet",
     "bandwidth: IEEE 802.3, 800 Gb/s, no framing taken off; " ETHERNET_LATENCY},
    {"ici-v4", "45GB/s", "1us", "TPU v4, one ICI link",
     "bandwidth: Austin et al., How to Scale Your Model (2025), 45 GB/s one way; " ICI_LATENCY},
    {"ici-v5e", "45GB/s", "1us", "TPU v5e, one ICI link", "bandwidth: lecture P5, 45 GB/s one way; " ICI_LATENCY},
    {"ici-v5p", "90GB/s", "1us", "TPU v5p, one ICI link",
     "bandwidth: Austin et al., How to Scale Your Model (2025), 90 GB/s one way; " ICI_LATENCY},
    {"infinity-fabric", "64GB/s", "1us", "MI300X, one Infinity Fabric link between two devices",
     "bandwidth: AMD CDNA 3 white paper, 128 GB/s both ways; latency: taken as an NVLink's (assumed)"},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct link_preset *link_preset_find(const char *name) {
    for (const struct link_preset *preset = link_presets; preset->name; preset++)
        if (!strcmp(preset->name, name)) return preset;
    return NULL;
}
