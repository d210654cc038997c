// Tensor maps as a kernel takes them.
#pragma once

#include "runtime/cuda/driver.h"
#include "runtime/cuda/launch_plan.h"

namespace algrt::cuda {

// Has the driver encode the map; a context must be current. Throws what the driver reports.
TensorMapObject encodeTensorMap(const Driver &driver, const TensorMap &map);

} // namespace algrt::cuda
