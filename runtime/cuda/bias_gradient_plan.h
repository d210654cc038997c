// What the gradient of a bias asks of a GPU: launches of the kernel dbias as runtime/gpu_kernel_abi.h
// describes them. Pure arithmetic, shared with the simulator.
#pragma once

#include "runtime/bundle/layer.h"
#include "runtime/gpu_kernel_abi.h"

#include <cstdint>
#include <vector>

namespace algrt::cuda {

// Rows that a block sums up, so that rows are shared out among blocks; where there are more, the sums of all
// parts are summed up by a second launch. The same on every device: so is the order of additions.
inline constexpr int64_t bias_gradient_part_rows = 256;

// Bytes of workspace that the partial sums of m rows of n columns take, wherever the workspace begins; 0
// where one part has all rows.
int64_t biasGradientBytes(int64_t n, int64_t m);

// dbias = sum of the rows of dy, plus beta * dbias.
struct BiasGradientCall {
  uint64_t dy; // addresses; its elements are bf16
  int64_t leading;
  int64_t rows, columns; // at most algrt_most_gpu_rows
  uint64_t dbias;
  ElementType output; // of dbias
  float beta;
  uint64_t sums; // of biasGradientBytes, at a multiple of 8; 0 where there are none
};

// One launch: its blocks, and the kernel's parameters.
struct ColumnSumsLaunch {
  uint32_t grid;
  uint64_t to, from;
  int64_t leading;
  int32_t rows, columns, part_rows, form;
  float beta;
};

// One after another: one launch, or two.
std::vector<ColumnSumsLaunch> planBiasGradient(const BiasGradientCall &call);

} // namespace algrt::cuda
