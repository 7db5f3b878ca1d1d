#include "llm/dtype.h"

#include <stddef.h>

const char *const dtype_names[] = {"bf16", "fp16", "fp8", "int8", "fp4", NULL};
const char *const dtype_choices[] = {"model", "bf16", "fp16", "fp8", "int8", "fp4", NULL};

static const unsigned bits[DTYPES] = {[DTYPE_BF16] = 16, [DTYPE_FP16] = 16, [DTYPE_FP8] = 8, [DTYPE_INT8] = 8, [DTYPE_FP4] = 4};

int64_t dtype_bytes(enum dtype dtype, int64_t count) { return (int64_t)(((__int128)count * bits[dtype] + 7) / 8); }
