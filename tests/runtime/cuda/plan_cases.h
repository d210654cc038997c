// A layer and a kernel for launch plans, right until a test changes something.
#pragma once

#include "runtime/cuda/launch_plan.h"
#include "tests/runtime/usual_parameters.h"

namespace algrt::cuda {

inline Layer layerOf(Lift lift, RowTypesKind kind, int64_t types, int64_t run, int64_t groups, int64_t in,
                     int64_t out) {
  Layer layer{};
  layer.lift = lift;
  layer.dtype = ElementType::Bf16;
  layer.k = groups * in;
  layer.n = groups * out;
  layer.types = types;
  layer.row_types = kind;
  layer.row_type_width = run;
  layer.in_groups.assign(size_t(groups), in);
  layer.out_groups.assign(size_t(groups), out);
  layer.weight_rows = layer.in_groups;
  return layer;
}

inline GpuKernel kernelOf(ElementType output) {
  GpuKernel kernel{};
  kernel.output = output;
  kernel.threads = 384;
  kernel.cluster = 1;
  kernel.shared_bytes = 200000;
  kernel.tile = {64, 96, 64, 4, 2};
  kernel.x = {64, 64, 128};
  kernel.w = {32, 16, 64};
  kernel.y = {16, 8, 0};
  return kernel;
}

// Of a kernel by hand, with the parameters that such a one takes.
inline LaunchPlan planByHand(const Layer &layer, GpuKernel kernel, const Operand &x, const Operand &w,
                             const Operand &y, int64_t m, int64_t p0, int64_t blocks,
                             const DeviceLists &lists = {}) {
  kernel.parameters = test::usualParameters(kernel, layer);
  return planLaunch(layer, kernel, x, w, y, m, p0, blocks, lists);
}

} // namespace algrt::cuda
