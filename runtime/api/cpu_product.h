// A product on tensors in CPU memory, the forward one or a gradient: checked, and run.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/api/row_arguments.h"

#include <string>

namespace algrt {

struct CpuProduct {
  Map map = Map::forward;
  const DLTensor *rows = nullptr, *result = nullptr; // x and y, or dy and dx
  const char *rows_name = "x", *result_name = "y";   // in the function's arguments, for messages
  const DLTensor *w = nullptr;                       // the bank, or null with packed weights
  const algrt_weights *weights = nullptr;
  const DLTensor *bias = nullptr; // where the layer has one and the map is forward
  RowArguments row_arguments;     // checked against the layer
  void *workspace = nullptr;
  size_t workspace_bytes = 0;
  int threads = 0;
  int64_t kernel = -1; // -1 = choose
};

// A bank as algrt_weights_pack has rewritten it, for that kernel, as one row.
struct PackedBank {
  size_t kernel;
  MatrixView view;
};
// Throws Error(ALGRT_INVALID_ARGUMENT) beginning with the name where it is of another bundle.
PackedBank readPacked(const LoadedProjection &projection, const algrt_weights &weights,
                      const std::string &name);

void multiplyOnCpu(const LoadedProjection &bundle, const CpuProduct &product);

} // namespace algrt
