// Element-wise functions of a bundle on CUDA devices.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/cuda/launch_parameters.h"
#include "runtime/cuda/loaded_images.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace algrt::cuda {

struct ElementwiseCall {
  int32_t device;
  int64_t rows, columns;                             // of the domain
  std::span<const ElementwiseOperandValue> operands; // in the order of the function's
  void *stream;
};

class GpuElementwise {
public:
  // The bundle must outlive this object. The driver is not touched yet.
  explicit GpuElementwise(const Bundle &bundle) : bundle_(bundle) {}

  // Whether any function, or that one, has a kernel for a GPU.
  bool any() const;
  bool any(size_t function) const;
  // Why a kernel of a function, one for a GPU, runs on no device of this machine: its fault, or what the
  // devices say; empty if it runs on one.
  std::string unusable(size_t function, size_t kernel) const;
  // Loads the kernels of all functions. Throws Error(ALGRT_WRONG_ARCHITECTURE) where one has none for the
  // device.
  void prepare(int32_t device) const;
  // All that `run` does before it launches: throws what that would.
  void check(size_t function, const ElementwiseCall &call) const;
  // Enqueues the function's kernel for the device, which needs no workspace. Throws Error:
  // ALGRT_WRONG_ARCHITECTURE where there is none for it, ALGRT_BAD_BUNDLE where its code has a fault,
  // ALGRT_NOT_PREPARED where the stream is being captured and the kernel is not loaded, ALGRT_UNSUPPORTED for
  // more rows or columns than kernels count.
  void run(size_t function, const ElementwiseCall &call) const;

private:
  struct Ready {
    Function function;
    const GpuCode *code;
    int64_t blocks; // that the device runs at once
  };
  struct Device {
    Device(const Bundle &bundle, std::shared_ptr<const Driver> driver, const DeviceProperties &read)
        : properties(read), context(std::move(driver), read.handle), images(bundle, context, properties) {}
    DeviceProperties properties;
    PrimaryContext context;
    LoadedImages images;
    std::map<size_t, Ready> ready; // by function
  };

  Device &device(int32_t ordinal) const; // mutex_ is held
  size_t choose(size_t function, const DeviceProperties &device) const;
  Ready load(size_t function, Device &device) const;
  // Of a function on a device whose context is current; mutex_ is held.
  Ready ready(size_t function, Device &device, Stream stream) const;

  const Bundle &bundle_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Driver> driver_;
  mutable std::map<int32_t, std::unique_ptr<Device>> devices_;
};

} // namespace algrt::cuda
