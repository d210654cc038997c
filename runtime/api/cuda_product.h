// A product on tensors in the memory of a CUDA device, the forward one or a gradient: checked, and enqueued.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/api/row_arguments.h"

namespace algrt {

struct CudaProduct {
  Map map = Map::forward;
  const DLTensor *rows = nullptr, *result = nullptr; // x and y, or dy and dx
  const char *rows_name = "x", *result_name = "y";   // in the function's arguments, for messages
  const DLTensor *w = nullptr;                       // the bank
  const DLTensor *bias = nullptr;                    // where the layer has one and the map is forward
  RowArguments row_arguments;                        // checked against the layer
  void *workspace = nullptr; // on the device, for rows that are not at positions from p0 on
  size_t workspace_bytes = 0;
  void *stream = nullptr;        // a CUstream; null is the legacy default stream
  int64_t kernel = -1;           // -1 = choose
  bool dependent_launch = false; // may begin before its predecessor in the stream has ended
};

// The rows are on a CUDA device, on which all tensors have to be.
void multiplyOnCuda(const LoadedProjection &bundle, const CudaProduct &product);

} // namespace algrt
