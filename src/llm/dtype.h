#ifndef LLM_DTYPE_H
#define LLM_DTYPE_H

#include <stdint.h>

/// Number formats. The order is that of `dtype_names`.
enum dtype { DTYPE_BF16, DTYPE_FP16, DTYPE_FP8, DTYPE_INT8, DTYPE_FP4, DTYPES };
extern const char *const dtype_names[]; ///< "bf16", …, NULL

/// For keys whose default is what the model card says: "model", then as dtype_names.
enum { DTYPE_OF_MODEL = 0 };
extern const char *const dtype_choices[];

/// Bytes of `count` numbers, rounded up; `count` is at most 2^62.
int64_t dtype_bytes(enum dtype dtype, int64_t count);

#endif
