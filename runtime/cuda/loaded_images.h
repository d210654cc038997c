// The images of a bundle that a device has loaded.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/device.h"

#include <map>
#include <memory>
#include <string>

namespace algrt::cuda {

// Machine code that the driver has loaded into a context. The context must be current while it is made.
class LoadedModule {
public:
  // Throws Error(ALGRT_BAD_BUNDLE) for an image that is none, Error(ALGRT_WRONG_ARCHITECTURE) for one that
  // the device cannot run, with what the driver's compiler said; `name` is the section's.
  LoadedModule(const PrimaryContext &context, std::string_view image, ImageKind kind,
               const std::string &name);
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  // Throws Error(ALGRT_BAD_BUNDLE) if there is no such kernel.
  Function function(const std::string &symbol) const;

private:
  const PrimaryContext &context_;
  std::string name_;
  Module module_ = nullptr;
};

// Bundle, context and properties must outlive it. Not for several threads at once.
class LoadedImages {
public:
  LoadedImages(const Bundle &bundle, const PrimaryContext &context, const DeviceProperties &properties)
      : bundle_(bundle), context_(context), properties_(properties) {}
  // Unloads with the right context current.
  ~LoadedImages();

  // Code that has the kernel: the first of its images that the driver takes. The context must be current.
  const LoadedModule &module(const GpuCode &kernel);
  bool empty() const { return modules_.empty(); }
  // With the context current.
  void clear() { modules_.clear(); }

private:
  const Bundle &bundle_;
  const PrimaryContext &context_;
  const DeviceProperties &properties_;
  std::map<std::string, std::unique_ptr<LoadedModule>> modules_; // by section
};

} // namespace algrt::cuda
