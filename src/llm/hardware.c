// Vendors' peak figures of one device. Where a data sheet gives rates with 2:4 sparsity, half of them stands here.
#include "llm/hardware.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define TFLOPS(whole) (INT64_C(1000000) * (whole))
#define GB(whole) (INT64_C(1000000000) * (whole))

const struct hardware hardware_presets[] = {
    {.name = "h100",
     .source = "NVIDIA H100 Tensor Core GPU data sheet, H100 SXM: 1,979 TFLOPS BF16 and 3,958 FP8 and INT8 with sparsity; 80 GB, 3.35 TB/s",
     .mflops = {[DTYPE_BF16] = TFLOPS(989), [DTYPE_FP16] = TFLOPS(989), [DTYPE_FP8] = TFLOPS(1979), [DTYPE_INT8] = TFLOPS(1979)},
     .memory_bytes_per_s = GB(3350),
     .memory_bytes = GB(80)},
    {.name = "h200",
     .source = "NVIDIA H200 Tensor Core GPU data sheet, H200 SXM: compute as H100 SXM; 141 GB, 4.8 TB/s",
     .mflops = {[DTYPE_BF16] = TFLOPS(989), [DTYPE_FP16] = TFLOPS(989), [DTYPE_FP8] = TFLOPS(1979), [DTYPE_INT8] = TFLOPS(1979)},
     .memory_bytes_per_s = GB(4800),
     .memory_bytes = GB(141)},
    {.name = "a100",
     .source = "NVIDIA A100 Tensor Core GPU data sheet, A100 80GB SXM: 312 TFLOPS BF16, 624 TOPS INT8, dense; 80 GB, 2,039 GB/s",
     .mflops = {[DTYPE_BF16] = TFLOPS(312), [DTYPE_FP16] = TFLOPS(312), [DTYPE_INT8] = TFLOPS(624)},
     .memory_bytes_per_s = GB(2039),
     .memory_bytes = GB(80)},
    {.name = "b200",
     .source =
         "NVIDIA DGX B200 data sheet, one eighth of the system: 72 PFLOPS FP8 and 144 PFLOPS FP4 with sparsity; 1,440 GB, 64 TB/s; BF16 is "
         "half of FP8 (NVIDIA HGX platform page)",
     .mflops = {[DTYPE_BF16] = TFLOPS(2250),
                [DTYPE_FP16] = TFLOPS(2250),
                [DTYPE_FP8] = TFLOPS(4500),
                [DTYPE_INT8] = TFLOPS(4500),
                [DTYPE_FP4] = TFLOPS(9000)},
     .memory_bytes_per_s = GB(8000),
     .memory_bytes = GB(180)},
    {.name = "mi300x",
     .source = "AMD Instinct MI300X data sheet: 1,307.4 TFLOPS BF16, 2,614.9 FP8 and INT8, dense; 192 GB, 5.3 TB/s",
     .mflops = {[DTYPE_BF16] = 1307400000, [DTYPE_FP16] = 1307400000, [DTYPE_FP8] = 2614900000, [DTYPE_INT8] = 2614900000},
     .memory_bytes_per_s = GB(5300),
     .memory_bytes = GB(192)},
    {.name = "tpu-v5e",
     .source = "Google Cloud documentation, TPU v5e: 197 TFLOPs BF16, 393 TOPs INT8, 16 GB, 819 GB/s a chip",
     .mflops = {[DTYPE_BF16] = TFLOPS(197), [DTYPE_INT8] = TFLOPS(393)},
     .memory_bytes_per_s = GB(819),
     .memory_bytes = GB(16)},
    {.name = "tpu-v5p",
     .source =
         "Google Cloud documentation, TPU v5p: 459 TFLOPs BF16, 95 GB, 2,765 GB/s a chip; INT8 918 TOPs is twice BF16 (How to Scale Your "
         "Model, 2025)",
     .mflops = {[DTYPE_BF16] = TFLOPS(459), [DTYPE_INT8] = TFLOPS(918)},
     .memory_bytes_per_s = GB(2765),
     .memory_bytes = GB(95)},
    {.name = NULL},
};

static const char *known_hardware(size_t index) { return hardware_presets[index].name; }

#define AT(member) offsetof(struct hardware_config, member)
#define PEAK(key, dtype)                                                                                                            \
    {                                                                                                                               \
        .name = key, .kind = FIELD_DECIMAL, .offset = AT(tflops[dtype]), .fallback = -1, .min = 0, .max = TFLOPS(INT64_C(1000000)), \
        .help = "dense matrix products in that format, TFLOP/s; 0: not supported", .example = "989"                                 \
    }
const struct field hardware_fields[] = {
    {.name = "base",
     .kind = FIELD_TEXT,
     .offset = AT(base),
     .flags = FIELD_REQUIRED,
     .help = "the preset whose figures hold where no others are given",
     .example = "\"h100\"",
     .known = known_hardware},
    PEAK("bf16_tflops", DTYPE_BF16),
    PEAK("fp16_tflops", DTYPE_FP16),
    PEAK("fp8_tflops", DTYPE_FP8),
    PEAK("int8_tflops", DTYPE_INT8),
    PEAK("fp4_tflops", DTYPE_FP4),
    {.name = "memory_bandwidth",
     .kind = FIELD_RATE,
     .offset = AT(memory_bytes_per_s),
     .fallback = -1,
     .help = "of the device's memory",
     .example = "\"3.35TB/s\""},
    {.name = "memory",
     .kind = FIELD_BYTES,
     .offset = AT(memory_bytes),
     .fallback = -1,
     .help = "size of the device's memory",
     .example = "\"80GB\""},
    {.name = NULL},
};
#undef AT
#undef PEAK

bool hardware_resolve(const struct hardware_config *config, struct hardware *hardware, struct error *err) {
    char known[512], shown[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    const char *names[64] = {NULL};
    size_t count = 0;
    *hardware = (struct hardware){.name = NULL};
    for (const struct hardware *preset = hardware_presets; preset->name; preset++) {
        if (!strcmp(preset->name, config->base)) *hardware = *preset;
        names[count++] = preset->name;
    }
    if (!hardware->name)
        return error_at(err, "hardware", "unknown hardware %s; known: %s%s", text_quote(config->base, shown),
                        text_join(names, known, sizeof known), text_meant(config->base, names, meant));
    for (size_t i = 0; i < DTYPES; i++)
        if (config->tflops[i] >= 0) hardware->mflops[i] = config->tflops[i];
    if (config->memory_bytes_per_s > 0) hardware->memory_bytes_per_s = config->memory_bytes_per_s;
    if (config->memory_bytes >= 0) hardware->memory_bytes = config->memory_bytes;
    return true;
}
