// One product on a CUDA device, the forward one or a gradient.
#pragma once

#include "runtime/cpu/matrix_view.h"
#include "runtime/cuda/kernels.h"
#include "runtime/cuda/row_grouping.h"

#include <span>
#include <string_view>

namespace algrt::cuda {

// What a product takes beside the three matrices that it is planned by: a bias, further weights of a fused
// layer, what its maps read, further results.
struct ProductOperand {
  std::string_view name; // as lists of parameters have it: "bias", "w2", "y2", ...
  ElementType type;
  // In the device's memory: one row of N for each column, M rows of one element for each row. Unused where
  // the operand is a number for the call.
  MatrixView view;
  float number = 0;
};

// When a kernel may begin that is enqueued behind others.
enum class LaunchOrder {
  AfterPredecessor, // when its predecessor in the stream has ended
  Dependent,        // before that: a kernel that waits for its predecessor by itself
  // Behind a step of the same program (mayBeginEarly): before that has ended where the kernel waits by
  // itself, else when it has.
  BehindStep
};
inline LaunchOrder launchOrder(bool dependent, bool behind_step) {
  return dependent     ? LaunchOrder::Dependent
         : behind_step ? LaunchOrder::BehindStep
                       : LaunchOrder::AfterPredecessor;
}

struct ProductCall {
  Map map = Map::Forward;
  // In the device's memory. Where the map is dx, x and y are dy and dx; where it is dw, w and y are dy and
  // dw.
  MatrixView x, w, y;
  ElementType output;         // of y
  int32_t device;             // its number
  RowSource rows;             // on the device
  Workspace workspace;        // for a list of rows, where the call needs one
  HeldLists *lists = nullptr; // what earlier calls have left in it; null: nothing
  void *stream = nullptr;     // a CUstream; null is the legacy default stream
  int64_t kernel = -1;        // index of the manifest; -1 = choose
  LaunchOrder order = LaunchOrder::AfterPredecessor;
  float beta = 0; // of the map dw: what dw holds counts so often
  // A bias; or of a fused layer weights from w2 on, what its maps read, results from y2 on, in this order.
  std::span<const ProductOperand> further = {};
  // Rows are divided among experts: views of weights and of numbers for each column are of the first one.
  ExpertStarts experts = {};
};

// Enqueues the product and returns. Allocates nothing on the device and waits for nothing once the kernel has
// been prepared, so that it can be captured into a graph; the first call on a device prepares it. The
// caller's current context is left as it was. The views have been checked against the layer; of any map but
// dw, y.rows > 0.
void runProduct(const GpuKernels &kernels, const Layer &layer, const ProductCall &call);

} // namespace algrt::cuda
