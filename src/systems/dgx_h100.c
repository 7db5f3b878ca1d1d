// NVIDIA DGX H100, alone or as a SuperPOD: units of 32 machines with 8 leaves of 64 ports, 32 down and 32 up.
#include "systems/dgx.h"

static const int64_t spines[] = {4, 8, 16, 16};
static const struct dgx machine = {"nvlink4", "ib-ndr", 32, spines};

static bool check(const void *config, struct error *err) { return dgx_check(&machine, config, err); }
static char *expand(const void *config) { return dgx_expand(&machine, config); }

static const char *const sources[] = {
    "node: NVIDIA DGX H100 data sheet, 8 GPUs of 900 GB/s NVLink both ways, 8 ConnectX-7 of 400 Gb/s for the compute fabric",
    "fabric: NVIDIA DGX SuperPOD reference architecture RA-11333 (H100), rail-optimised; 8 leaves a unit of 32 machines; 8 spines for 2 "
    "units, 16 for 4; 4 for 1 and 16 for 3 from ports of 64",
    "pxn: NCCL 2.12 and later reach other rails over NVLink first",
    SEND_SOURCE,
    NULL,
};

const struct system_type dgx_h100_system = {
    .variant = {"dgx-h100", "8 H100 around NVSwitches, 8 NICs of 400 Gb/s; 2 to 128 machines as a SuperPOD", dgx_fields,
                sizeof(struct dgx_config), check},
    .expand = expand,
    .sources = sources,
};
