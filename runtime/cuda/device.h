// The CUDA devices of this machine, as far as launching and choosing kernels needs to know them.
#pragma once

#include "runtime/bundle/gpu_kernel.h"
#include "runtime/cuda/driver.h"

#include <vector>

namespace algrt::cuda {

struct DeviceProperties {
  int32_t ordinal; // as DLPack's device_id
  Device handle;
  int32_t capability; // ten times the compute capability: 90
  int32_t multiprocessors;
  int64_t shared_bytes; // most dynamic shared memory that a block can be given
  bool clusters;        // whether it launches clusters of blocks
};

// Throws Error(ALGRT_NO_DEVICE) where there is none of that number, naming how many there are.
DeviceProperties readDevice(const Driver &driver, int32_t ordinal);
std::vector<DeviceProperties> readDevices(const Driver &driver);

// Why the kernel cannot run on the device: "needs compute capability 9.0, device 0 has 8.0". Empty if it can.
std::string reasonNotToRun(const GpuCode &kernel, const DeviceProperties &device);

// The images that the device can be given, best first: machine code of its own architecture, then PTX. Its
// driver may still be older than the assembler that made the first.
std::vector<GpuImage> loadableImages(const GpuCode &kernel, const DeviceProperties &device);

} // namespace algrt::cuda
