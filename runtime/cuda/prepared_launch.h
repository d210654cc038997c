// What a product is launched with, as far as it follows from numbers alone.
#pragma once

#include "runtime/cuda/driver_types.h"
#include "runtime/cuda/launch_plan.h"

#include <cstddef>
#include <vector>

namespace algrt::cuda {

// A kernel that is ready to be launched.
struct ReadyKernel {
  Function function;
  DevicePointer terms; // 0 where the kernel reads none
  int64_t blocks;      // that the device runs at once, at least 1
};

struct PreparedLaunch {
  size_t kernel; // index of the manifest
  ReadyKernel ready;
  LaunchPlan plan;
  std::vector<TensorMapObject> maps; // those of the plan as the driver has encoded them
};

} // namespace algrt::cuda
