// What the GPU pipeline asks of a target.
#ifndef ALGCTL_COMPILER_GPU_TARGET_H
#define ALGCTL_COMPILER_GPU_TARGET_H

#include "algebras/layer.h"
#include "compiler/pipeline.h"

#include <cstdint>
#include <string>

namespace compiler {

struct GpuTarget {
  Target target;
  /// Throws algebras::InputError, with a hint, for a layer that the target has no kernels for.
  void (*requireLayer)(const algebras::Layer &layer);
  /// The schedule of one more kernel for a bundle, for operands at addresses that the first one, scheduled as
  /// `schedule` says or by cost for `m` rows, cannot take. Empty where it takes any.
  std::string (*scheduleForAnyAddress)(const algebras::Layer &layer, const std::string &schedule,
                                       std::int64_t m, algebras::DataType output);
  /// The same for kernels of dW, whose type `output` is. They are scheduled by cost.
  std::string (*bankScheduleForAnyAddress)(const algebras::Layer &layer, const std::string &schedule,
                                           std::int64_t m, algebras::DataType output);
  /// Ten times the compute capability that kernels are compiled for, and whether they run there alone.
  int architecture;
  bool exact_architecture;
};

/// Throws std::out_of_range for a target that is no GPU.
const GpuTarget &gpuTarget(Target target);

} // namespace compiler

#endif
