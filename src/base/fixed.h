#ifndef BASE_FIXED_H
#define BASE_FIXED_H

#include <stdint.h>

#include "base/random.h"

/// Random variables in fixed point: numbers of 32 bits after the point (FIXED_ONE is 1), from integer arithmetic alone, so
/// that a seed gives the same on every machine. Errors are a few units of the last place.
#define FIXED_ONE (INT64_C(1) << 32)

/// -ln(u / 2^64), for u > 0.
int64_t fixed_minus_ln(uint64_t u);

/// e^x; 0 below 2^-32, INT64_MAX above 2^30.
int64_t fixed_exp(int64_t x);

/// Exponential of mean 1: -ln of a uniform.
int64_t random_exponential(struct random_stream *stream);

/// Gamma of that shape (in millionths, above 0) and scale 1, whose mean is its shape: a sum of exponentials, and for the
/// fraction Jöhnk's method (Devroye, Non-Uniform Random Variate Generation, 1986, IX.3.5).
int64_t random_gamma(struct random_stream *stream, int64_t shape_millionths);

/// Normal of mean 0 and variance 1: Marsaglia's polar method.
int64_t random_normal(struct random_stream *stream);

#endif
