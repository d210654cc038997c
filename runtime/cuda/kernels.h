// The GPU kernels of a bundle: which can run where, which to choose, and their code on every device.
#pragma once

#include "runtime/cuda/module.h"

namespace algrt::cuda {

class GpuKernels {
public:
  // The bundle must outlive this object. The driver is not touched yet.
  explicit GpuKernels(const Bundle &bundle) : bundle_(bundle) {}

  // Of the manifest: all, and one.
  const std::vector<Kernel> &all() const { return bundle_.manifest().kernels; }
  const Kernel &kernel(size_t index) const { return bundle_.manifest().kernels[index]; }
  // Whether the bundle has any, or any of a map.
  bool any() const;
  bool any(Map map) const;
  // Whether it has one that lists rows by type.
  bool groupsRows() const;

  // Why kernel `index` of the manifest, a GPU kernel, runs on no device of this machine: its fault, or what
  // the devices say; empty if it runs on one.
  std::string unusable(size_t index) const;

  // What the bundle keeps on a device; opens driver and device at the first call, and lives as long as this
  // object. Throws Error. Nothing is remembered of a failure: a later call tries again.
  DeviceModules &device(int32_t ordinal) const;

  // The kernel to use: `wanted`, an index of the manifest, or where that is negative what KernelChoice says.
  // Throws what that throws, and for a wanted one ALGRT_INVALID_ARGUMENT (no such kernel, or one for
  // something else), ALGRT_WRONG_ARCHITECTURE (not for the device), ALGRT_UNSUPPORTED (no dependent launch).
  // That a wanted one can be given the operands is for its launch plan to say.
  size_t choose(const DeviceModules &modules, const ProductRequest &request, int64_t wanted) const;

  // Loads every kernel that runs on the device, of a bundle that has any. Throws
  // Error(ALGRT_WRONG_ARCHITECTURE) if none does.
  void prepare(int32_t ordinal) const;

private:
  const Kernel &require(int64_t index) const;
  std::shared_ptr<const Driver> driver() const; // mutex_ is held

  const Bundle &bundle_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Driver> driver_;
  mutable std::map<int32_t, std::unique_ptr<DeviceModules>> devices_;
};

} // namespace algrt::cuda
