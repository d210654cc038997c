// The gradient of a bias per output feature: sums of the columns of dY.
#pragma once

#include "runtime/bundle/layer.h"
#include "runtime/cpu/matrix_view.h"

namespace algrt {

struct BiasGradientCall {
  MatrixView dy;
  ElementType input = ElementType::F32; // of dy
  MatrixView dbias;                     // one row of dy.columns elements
  ElementType output = ElementType::F32;
  float beta = 0; // what dbias was counts so often; 0: it is not read
  int threads = 0;
};

// dbias = sum of the rows of dy, plus beta * dbias. Sums are double, over ascending rows, and rounded once:
// the same bits for every number of threads.
void runBiasGradient(const BiasGradientCall &call);

} // namespace algrt
