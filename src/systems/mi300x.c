// A node of eight AMD MI300X: every device has a direct Infinity Fabric link to each of the seven others.
#include "base/text.h"
#include "systems/system.h"

enum { DEVICES = 8 };

struct config {
    uint64_t given;
};

static char *expand(const void *config) {
    (void)config;
    return text_format("{\"network\": {\"topology\": {\"type\": \"full\", \"endpoints\": %d, \"link\": \"infinity-fabric\"}}, "
                       "\"costs\": {\"send_overhead\": \"" SEND_OVERHEAD "\"}}",
                       DEVICES);
}

static const struct field fields[] = {{.name = NULL}};

static const char *const sources[] = {
    "AMD Instinct MI300X platform data sheet: 8 devices, 7 Infinity Fabric links each, 128 GB/s a link both ways",
    SEND_SOURCE,
    NULL,
};

const struct system_type mi300x_system = {
    .variant = {"mi300x", "8 MI300X, each with a link to every other", fields, sizeof(struct config), NULL},
    .expand = expand,
    .sources = sources,
};
