#include "runtime/cuda/kernels.h"

#include <algorithm>

namespace algrt::cuda {

bool GpuKernels::any() const {
  const std::vector<Kernel> &kernels = bundle_.manifest().kernels;
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const Kernel &kernel) { return kernel.gpu.has_value(); });
}

bool GpuKernels::any(Map map) const {
  const std::vector<Kernel> &kernels = bundle_.manifest().kernels;
  return std::any_of(kernels.begin(), kernels.end(),
                     [map](const Kernel &kernel) { return kernel.gpu && kernel.gpu->map == map; });
}

bool GpuKernels::groupsRows() const {
  const std::vector<Kernel> &kernels = bundle_.manifest().kernels;
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const Kernel &kernel) { return kernel.group_rows.has_value(); });
}

std::shared_ptr<const Driver> GpuKernels::driver() const {
  if (!driver_)
    driver_ = Driver::open();
  return driver_;
}

std::string GpuKernels::unusable(size_t index) const {
  if (!bundle_.fault(index).empty())
    return bundle_.fault(index);
  try {
    const std::lock_guard lock(mutex_);
    std::string reasons;
    for (const DeviceProperties &device : readDevices(*driver())) {
      const std::string reason = reasonNotToRun(*bundle_.manifest().kernels[index].gpuCode(), device);
      if (reason.empty())
        return "";
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    return reasons.empty() ? "this machine has no CUDA device" : reasons;
  } catch (const Error &error) {
    return error.what();
  }
}

DeviceModules &GpuKernels::device(int32_t ordinal) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = devices_.find(ordinal); found != devices_.end())
    return *found->second;
  const std::shared_ptr<const Driver> opened = driver();
  auto modules = std::make_unique<DeviceModules>(bundle_, opened, readDevice(*opened, ordinal));
  return *devices_.emplace(ordinal, std::move(modules)).first->second;
}

const Kernel &GpuKernels::require(int64_t index) const {
  const std::vector<Kernel> &kernels = bundle_.manifest().kernels;
  if (size_t(index) >= kernels.size())
    throw Error(ALGRT_INVALID_ARGUMENT, "kernel is " + std::to_string(index + 1) + ", the bundle has " +
                                            std::to_string(kernels.size()));
  const Kernel &kernel = kernels[size_t(index)];
  if (!kernel.gpu)
    throw Error(ALGRT_INVALID_ARGUMENT, "kernel " + kernel.name + " is a " + kernel.map + " kernel for " +
                                            kernel.target + ", x is on a CUDA device");
  return kernel;
}

size_t GpuKernels::choose(const DeviceModules &modules, const ProductRequest &request, int64_t wanted) const {
  if (wanted < 0)
    return modules.choice().choose(request);
  const Kernel &kernel = require(wanted);
  checkRows(kernelShape(bundle_.layer(), request.map, 0), request.m, request.p0);
  if (kernel.gpu->map != request.map)
    throw Error(ALGRT_INVALID_ARGUMENT,
                "kernel " + kernel.name + " computes " + kernel.map + ", not " + name(request.map));
  if (kernel.gpu->output != request.output)
    throw Error(ALGRT_INVALID_ARGUMENT, "kernel " + kernel.name + " writes " + name(kernel.gpu->output) +
                                            ", " + kernelShape(bundle_.layer(), request.map, 0).resultName() +
                                            " is of type " + name(request.output));
  const bool takes_rows = request.positions || request.operands.experts > 0
                              ? kernel.gpu->listed || kernel.gpu->isReduction()
                              : kernel.gpu->listed == request.listed;
  if (!takes_rows)
    throw Error(ALGRT_UNSUPPORTED,
                "kernel " + kernel.name +
                    (request.listed ? " takes rows at positions from p0 on, not in lists"
                                    : " takes rows in lists, not at positions from p0 on"));
  if (const std::string reason = reasonNotToRun(*kernel.gpu, modules.properties()); !reason.empty())
    throw Error(ALGRT_WRONG_ARCHITECTURE, "kernel " + kernel.name + ": " + reason);
  if (request.dependent_launch && !kernel.gpu->dependent_launch)
    throw Error(ALGRT_UNSUPPORTED,
                "kernel " + kernel.name +
                    " does not wait for its predecessor by itself: clear dependent_launch");
  return size_t(wanted);
}

void GpuKernels::prepare(int32_t ordinal) const {
  DeviceModules &modules = device(ordinal);
  const CurrentContext current(modules.context());
  const std::vector<Kernel> &kernels = bundle_.manifest().kernels;
  bool prepared = false;
  std::string reasons;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const GpuCode *code = kernels[i].gpuCode();
    if (code == nullptr)
      continue;
    if (const std::string reason = reasonNotToRun(*code, modules.properties()); !reason.empty()) {
      reasons += (reasons.empty() ? "" : "; ") + kernels[i].name + " " + reason;
      continue;
    }
    modules.prepare(i);
    prepared = true;
  }
  if (!prepared)
    throw Error(ALGRT_WRONG_ARCHITECTURE,
                "no kernel of the bundle runs on this device: " + reasons + ". Compile the bundle for it");
}

} // namespace algrt::cuda
