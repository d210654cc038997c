// Code and tables of a bundle on one device.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/kernel_choice.h"
#include "runtime/cuda/launch_cache.h"
#include "runtime/cuda/loaded_images.h"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace algrt::cuda {

// Bytes in a device's memory. The context must be current while they are made.
class DeviceBytes {
public:
  // Copies them there, and waits for it.
  DeviceBytes(const PrimaryContext &context, const void *bytes, size_t size);
  ~DeviceBytes();
  DeviceBytes(const DeviceBytes &) = delete;
  DeviceBytes &operator=(const DeviceBytes &) = delete;

  DevicePointer address() const { return address_; }

private:
  const PrimaryContext &context_;
  DevicePointer address_ = 0;
};

// What a bundle keeps on a device. Everything is released with it.
class DeviceModules {
public:
  DeviceModules(const Bundle &bundle, std::shared_ptr<const Driver> driver,
                const DeviceProperties &properties);
  // Unloads and frees with the right context current.
  ~DeviceModules();

  const DeviceProperties &properties() const { return properties_; }
  const PrimaryContext &context() const { return context_; }
  const KernelChoice &choice() const { return choice_; }
  LaunchCache &launches() { return launches_; }

  // The kernel, if it has been prepared: takes no driver call.
  std::optional<ReadyKernel> find(size_t kernel) const;
  // Loads the kernel and uploads its table if that has not been done. May be called by many threads at once;
  // the device's context must be current. Throws Error, and leaves what was there: ALGRT_BAD_BUNDLE for a
  // kernel with a fault.
  ReadyKernel prepare(size_t kernel);

private:
  ReadyKernel load(size_t kernel);

  const Bundle &bundle_;
  const DeviceProperties properties_;
  PrimaryContext context_;
  const KernelChoice choice_;
  mutable std::mutex mutex_;
  LoadedImages images_;
  // By what a kernel's table depends on: its map, the groups that it counts, whether its terms are scaled and
  // its groups ordered, and the depth of a step, in pieces of which groups of unequal widths are listed.
  std::map<std::tuple<Map, int64_t, bool, bool, int64_t>, std::unique_ptr<DeviceBytes>> terms_;
  std::map<size_t, ReadyKernel> ready_; // by index in the manifest
  LaunchCache launches_;
};

} // namespace algrt::cuda
