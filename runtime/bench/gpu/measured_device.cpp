#include "runtime/bench/gpu/measured_device.h"

#include "runtime/bench/gpu/rates.h"

#include <unistd.h>

namespace algrt {

MeasuredDevice::MeasuredDevice(const GpuBenchOptions &given) : options_(given) {
  const std::shared_ptr<const cuda::Driver> driver = cuda::Driver::open();
  const cuda::DeviceProperties properties = readDevice(*driver, options_.device);
  machine_.cuda_version = cudaVersion(*driver);
  nvml_ = Nvml::open(gpuPciBusId(*driver, properties), machine_.company.unknown);
  lookForCompany(true);

  device_ = std::make_unique<GpuDevice>(options_.device);
  machine_.device = device_->name();
  machine_.architecture = properties.capability;
  machine_.multiprocessors = properties.multiprocessors;
  machine_.l2_bytes = device_->l2Bytes();
  machine_.trials = options_.trials;
  if (nvml_) {
    machine_.driver_version = nvml_->driverVersion();
    machine_.clocks = nvml_->clocks();
  }
  stream_ = std::make_unique<GpuStream>(*device_);
  trials_ = std::make_unique<GpuTrials>(*device_, *stream_, options_.trials);
  measureRates();
}

void MeasuredDevice::lookForCompany(bool first) {
  if (!nvml_)
    return;
  const std::optional<std::vector<int64_t>> processes = nvml_->computeProcesses();
  if (!processes)
    machine_.company.unknown = "NVML does not tell the processes on the device";
  else if (first)
    machine_.company.before = *processes;
  else
    machine_.company.after = otherProcesses(machine_.company.before, *processes, int64_t(::getpid()));
}

void MeasuredDevice::measureRates() {
  report(0, "copy bandwidth");
  machine_.copy_bytes_per_second = gpuCopyBytesPerSecond(*device_, *stream_, options_.copy_sizes);
  if (!options_.against_dense) {
    machine_.dense_library = machine_.composition_library = "not asked for";
    return;
  }
  report(0, "dense rate");
  baselines_ =
      std::make_unique<GpuBaselines>(*device_, *stream_, *trials_, options_.workspace_bytes, options_.seed);
  machine_.dense_library = baselines_->denseLibrary();
  machine_.composition_library = baselines_->compositionLibrary();
  machine_.dense_macs_per_second = baselines_->denseMacsPerSecond(options_.dense_rate_size);
}

const GpuMachine &MeasuredDevice::lookedAt() {
  lookForCompany(false);
  return machine_;
}

} // namespace algrt
