// NVIDIA's management library without a GPU, for tests: processes and clocks are what the test says. Opened
// by the measurements through ALGRT_NVML.
#pragma once

#include <vector>

namespace algrt::nvml_stand_in {

// The processes that each look at the device finds; the last list stays.
void reset(std::vector<std::vector<unsigned>> looks);
// Whether the library's own state is as before the first nvmlInit_v2, and nothing was asked outside.
bool balanced();

} // namespace algrt::nvml_stand_in
