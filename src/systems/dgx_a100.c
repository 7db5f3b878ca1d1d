// NVIDIA DGX A100, alone or as a SuperPOD: units of 20 machines with 8 leaves of 40 ports, 20 down and 20 up. Up to 100
// machines fit under spines of 40 ports; above, the spines and cores of the reference design are taken as one level.
#include "systems/dgx.h"

static const int64_t spines[] = {4, 10, 20, 20, 20, 20, 20};
static const struct dgx machine = {"nvlink3", "ib-hdr", 20, spines};

static bool check(const void *config, struct error *err) { return dgx_check(&machine, config, err); }
static char *expand(const void *config) { return dgx_expand(&machine, config); }

static const char *const sources[] = {
    "node: NVIDIA DGX A100 data sheet, 8 GPUs of 600 GB/s NVLink both ways, 8 ConnectX-6 of 200 Gb/s for the compute fabric",
    "fabric: NVIDIA DGX SuperPOD reference architecture RA-09950 (A100), rail-optimised; 8 leaves a unit of 20 machines, switches of 40 "
    "ports; spines from the ports, so that the cables of a leaf divide evenly",
    "pxn: NCCL 2.12 and later reach other rails over NVLink first",
    SEND_SOURCE,
    NULL,
};

const struct system_type dgx_a100_system = {
    .variant = {"dgx-a100", "8 A100 around NVSwitches, 8 NICs of 200 Gb/s; 2 to 128 machines as a SuperPOD", dgx_fields,
                sizeof(struct dgx_config), check},
    .expand = expand,
    .sources = sources,
};
