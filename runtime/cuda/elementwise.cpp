#include "runtime/cuda/elementwise.h"

#include "runtime/gpu_kernel_abi.h"

#include <algorithm>

namespace algrt::cuda {

bool GpuElementwise::any() const {
  for (size_t function = 0; function < bundle_.manifest().elementwise.size(); ++function)
    if (any(function))
      return true;
  return false;
}

bool GpuElementwise::any(size_t function) const {
  return std::ranges::any_of(bundle_.manifest().elementwise[function].kernels,
                             [](const ElementwiseKernel &kernel) { return kernel.gpu.has_value(); });
}

std::string GpuElementwise::unusable(size_t function, size_t kernel) const {
  if (const std::string &fault = bundle_.elementwiseFault(function, kernel); !fault.empty())
    return fault;
  try {
    const std::lock_guard lock(mutex_);
    if (!driver_)
      driver_ = Driver::open();
    std::string reasons;
    for (const DeviceProperties &device : readDevices(*driver_)) {
      const std::string reason =
          reasonNotToRun(*bundle_.manifest().elementwise[function].kernels[kernel].gpu, device);
      if (reason.empty())
        return "";
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    return reasons.empty() ? "this machine has no CUDA device" : reasons;
  } catch (const Error &error) {
    return error.what();
  }
}

GpuElementwise::Device &GpuElementwise::device(int32_t ordinal) const {
  if (const auto found = devices_.find(ordinal); found != devices_.end())
    return *found->second;
  if (!driver_)
    driver_ = Driver::open();
  auto made = std::make_unique<Device>(bundle_, driver_, readDevice(*driver_, ordinal));
  return *devices_.emplace(ordinal, std::move(made)).first->second;
}

// Code of exactly this architecture before code that others run, too.
size_t GpuElementwise::choose(size_t function, const DeviceProperties &device) const {
  const Elementwise &description = bundle_.manifest().elementwise[function];
  std::optional<size_t> found;
  std::string reasons;
  for (size_t i = 0; i < description.kernels.size(); ++i) {
    const std::optional<GpuCode> &code = description.kernels[i].gpu;
    if (!code)
      continue;
    if (const std::string reason = reasonNotToRun(*code, device); !reason.empty())
      reasons += (reasons.empty() ? ": it " : "; it ") + reason;
    else if (!found || (code->exact_architecture && !description.kernels[*found].gpu->exact_architecture))
      found = i;
  }
  if (!found)
    throw Error(ALGRT_WRONG_ARCHITECTURE, "no kernel of the function " + description.name +
                                              " runs on device " + std::to_string(device.ordinal) + reasons +
                                              ". Compile the bundle for it");
  if (const std::string &fault = bundle_.elementwiseFault(function, *found); !fault.empty())
    throw Error(ALGRT_BAD_BUNDLE, "function " + description.name + ": " + fault);
  return *found;
}

GpuElementwise::Ready GpuElementwise::load(size_t function, Device &device) const {
  const GpuCode &code =
      *bundle_.manifest().elementwise[function].kernels[choose(function, device.properties)].gpu;
  const Driver &driver = device.context.driver();
  const RelaxedCapture relaxed(driver);
  Ready ready{device.images.module(code).function(code.symbol), &code, device.properties.multiprocessors};
  int together = 0;
  driver.check(driver.occupancyMaxActiveBlocks(&together, ready.function, int(code.threads),
                                               size_t(code.shared_bytes)),
               "asking how many blocks share a multiprocessor");
  ready.blocks *= std::max(together, 1);
  device.ready.emplace(function, ready);
  return ready;
}

void GpuElementwise::prepare(int32_t ordinal) const {
  const std::lock_guard lock(mutex_);
  Device &on = device(ordinal);
  const CurrentContext current(on.context);
  for (size_t function = 0; function < bundle_.manifest().elementwise.size(); ++function)
    if (any(function) && !on.ready.contains(function))
      load(function, on);
}

GpuElementwise::Ready GpuElementwise::ready(size_t function, Device &device, Stream stream) const {
  if (const auto found = device.ready.find(function); found != device.ready.end())
    return found->second;
  const Driver &driver = device.context.driver();
  CaptureStatus status = CaptureStatus::None;
  driver.check(driver.streamIsCapturing(stream, &status), "asking whether the stream is being captured");
  if (status != CaptureStatus::None)
    throw Error(ALGRT_NOT_PREPARED,
                "the stream is being captured, and the function " +
                    bundle_.manifest().elementwise[function].name + " is not yet on device " +
                    std::to_string(device.properties.ordinal) +
                    ": call algrt_bundle_prepare, or this function once, before the capture begins");
  return load(function, device);
}

void GpuElementwise::check(size_t function, const ElementwiseCall &call) const {
  if (std::max(call.rows, call.columns) > algrt_most_gpu_rows)
    throw Error(ALGRT_UNSUPPORTED, "the function " + bundle_.manifest().elementwise[function].name +
                                       " is of " + std::to_string(std::max(call.rows, call.columns)) +
                                       " rows or columns, kernels count up to " +
                                       std::to_string(int64_t(algrt_most_gpu_rows)));
  const std::lock_guard lock(mutex_);
  Device &on = device(call.device);
  const CurrentContext current(on.context);
  ready(function, on, static_cast<Stream>(call.stream));
}

void GpuElementwise::run(size_t function, const ElementwiseCall &call) const {
  check(function, call);
  const Elementwise &description = bundle_.manifest().elementwise[function];
  const Stream stream = static_cast<Stream>(call.stream);
  std::unique_lock lock(mutex_);
  Device &on = device(call.device);
  const Driver &driver = on.context.driver();
  const CurrentContext current(on.context);
  const Ready kernel_there = ready(function, on, stream);
  lock.unlock();
  const auto kernel = std::ranges::find_if(description.kernels, [&](const ElementwiseKernel &one) {
    return one.gpu && &*one.gpu == kernel_there.code;
  });
  const int64_t tasks = elementwiseTasks(*kernel, call.rows, call.columns);
  if (tasks == 0)
    return;
  ParameterBlock block(kernel_there.code->parameters);
  setElementwise(block, kernel_there.code->parameters, description, call.operands, int32_t(call.rows),
                 int32_t(call.columns));
  const LaunchConfig config{uint32_t(std::min(tasks, kernel_there.blocks)),
                            1,
                            1,
                            uint32_t(kernel_there.code->threads),
                            1,
                            1,
                            uint32_t(kernel_there.code->shared_bytes),
                            stream,
                            nullptr,
                            0};
  driver.check(driver.launchKernelEx(&config, kernel_there.function, block.pointers().data(), nullptr),
               "launching the kernel of an element-wise function");
}

} // namespace algrt::cuda
