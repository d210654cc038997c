// The gradient of the weight matrix: tasks that each own a tile of it.
#pragma once

#include "runtime/cpu/batch.h"
#include "runtime/cpu/matrix_view.h"

namespace algrt {

struct WeightGradientCall {
  MatrixView x, dy, dw;
  ElementType output = ElementType::F32; // of dw
  float beta = 0;                        // 0: what dw holds is not read
  BatchCall batch;
  int64_t kernel = -1; // -1 = choose
};

// The views have been checked against the layer. Without rows dw becomes beta times what it was.
void runWeightGradient(const CpuKernels &kernels, const Layer &layer, const WeightGradientCall &call);

} // namespace algrt
