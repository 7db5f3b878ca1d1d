// NVIDIA GB200 NVL72: one rack whose 72 GPUs have one of their 18 NVLinks on each of 18 NVLink switches; for whole
// messages that is one switch at the full rate.
#include "base/text.h"
#include "systems/system.h"

enum { GPUS = 72 };

struct config {
    uint64_t given;
};

static char *expand(const void *config) {
    (void)config;
    return text_format("{\"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": %d, \"link\": \"nvlink5\"}}, "
                       "\"costs\": {\"send_overhead\": \"" SEND_OVERHEAD "\"}}",
                       GPUS);
}

static const struct field fields[] = {{.name = NULL}};

static const char *const sources[] = {
    "NVIDIA GB200 NVL72 data sheet: 72 GPUs in one NVLink domain, 130 TB/s, 1.8 TB/s a GPU both ways",
    SEND_SOURCE,
    NULL,
};

const struct system_type gb200_nvl72_system = {
    .variant = {"gb200-nvl72", "72 Blackwell GPUs in one NVLink domain", fields, sizeof(struct config), NULL},
    .expand = expand,
    .sources = sources,
};
