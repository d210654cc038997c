// The arithmetic of the tensor cores: f32 sums of f32 values that were 16-bit floats.
#pragma once

#include <cstdint>

namespace simulator {

// d (16 x n) += a (16 x 16) times b (16 x n), all row-major.
void addProduct(float *d, const float *a, const float *b, int32_t n);

} // namespace simulator
