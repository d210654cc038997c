// A product of rows by the weight matrix, the forward one or the gradient of x, on tensors wherever they are:
// checked, and run or enqueued.
#pragma once

#include "runtime/api/handles.h"
#include "runtime/api/products.h"
#include "runtime/api/row_arguments.h"

#include <string>

namespace algrt {

struct RowProduct {
  // With what the functions' arguments have in common. `kernel` counts from 1 there, and 0 lets choose.
  template <typename Args>
  RowProduct(const Args &args, const PlaceInProgram &place)
      : w(args.w), row_arguments(rowArguments(args)), workspace(args.workspace),
        workspace_bytes(args.workspace_bytes), stream(args.stream), threads(args.threads),
        kernel(int64_t(args.kernel) - 1), dependent_launch(args.dependent_launch != 0), place(place) {}

  Map map = Map::Forward;
  const DLTensor *rows = nullptr, *result = nullptr; // x and y, or dy and dx
  const char *rows_name = "x", *result_name = "y";   // in the function's arguments, for messages
  const DLTensor *w;                                 // the weight matrix, or null with packed weights
  const algrt_weights *weights = nullptr;            // of the CPU
  const DLTensor *bias = nullptr;                    // where the layer has one and the map is forward
  RowArguments row_arguments;                        // checked against the layer
  void *workspace;                                   // where the rows are
  size_t workspace_bytes;
  void *stream; // a CUstream; null is the legacy default stream
  int threads;
  int64_t kernel;        // -1 = choose
  bool dependent_launch; // may begin before its predecessor in the stream has ended
  PlaceInProgram place;
};

// Where the rows are all tensors have to be.
void multiplyRows(const LoadedProjection &bundle, const RowProduct &product);

// A weight matrix as algrt_weights_pack has rewritten it, for that kernel, as one row.
struct PackedWeights {
  size_t kernel;
  MatrixView view;
};
// Throws Error(ALGRT_INVALID_ARGUMENT) beginning with the name where it is of another bundle.
PackedWeights readPacked(const LoadedProjection &projection, const algrt_weights &weights,
                         const std::string &name);

} // namespace algrt
