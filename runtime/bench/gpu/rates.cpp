#include "runtime/bench/gpu/rates.h"

#include "runtime/reference/random.h"

#include <algorithm>

namespace algrt {

namespace {

constexpr int copies_of_each_size = 8;

} // namespace

double gpuCopyBytesPerSecond(const GpuDevice &device, const GpuStream &stream,
                             const std::vector<size_t> &sizes) {
  const cuda::Driver &driver = device.driver();
  GpuTimer timer(device, stream);
  double best = 0;
  for (size_t bytes : sizes) {
    // Half of what is free is left to others.
    if (device.freeBytes() / 4 < bytes)
      continue;
    const GpuMemory from(device, bytes, "copying"), to(device, bytes, "copying");
    driver.check(driver.memsetD32Async(from.address(), 0x3f803f80, bytes / 4, stream.get()),
                 "filling device memory");
    for (int i = 0; i < copies_of_each_size; ++i) {
      timer.start();
      driver.check(driver.memcpyDtoDAsync(to.address(), from.address(), bytes, stream.get()),
                   "copying within the device");
      timer.stop();
      best = std::max(best, 2 * double(bytes) / (1e-6 * timer.microseconds()));
    }
  }
  if (best == 0)
    throw Error(ALGRT_OUT_OF_MEMORY, "the copy bandwidth needs " +
                                         std::to_string(4 * *std::min_element(sizes.begin(), sizes.end())) +
                                         " bytes of free device memory, there are " +
                                         std::to_string(device.freeBytes()));
  return best;
}

BestGpuDense fastestOf(std::vector<std::unique_ptr<GpuDenseProduct>> products, GpuTrials &trials) {
  BestGpuDense best;
  for (std::unique_ptr<GpuDenseProduct> &product : products) {
    std::string refusal;
    const GpuCall call = [&](void *stream) {
      try {
        product->enqueue(stream);
      } catch (const Error &error) {
        refusal = product->name() + ": " + error.what();
        throw;
      }
    };
    double us = 0;
    try {
      us = trials.calibrate(call);
    } catch (const Error &) {
      if (refusal.empty()) // the device failed, not the library
        throw;
      best.refused.push_back(refusal);
      continue;
    }
    if (best.product == nullptr || us < best.us) {
      best.product = std::move(product);
      best.us = us;
    }
  }
  return best;
}

BestGpuDense fastestGpuDense(CublasLt &library, const GpuDenseOperands &operands,
                             const GpuWorkspace &workspace, GpuTrials &trials) {
  return fastestOf(library.candidates(operands, workspace, most_candidates), trials);
}

double gpuDenseMacsPerSecond(const GpuDevice &device, CublasLt &library, const GpuWorkspace &workspace,
                             GpuTrials &trials, int64_t size) {
  std::vector<uint16_t> values(size_t(size * size));
  GpuMemory x(device, 2 * values.size(), "the dense rate"), w(device, 2 * values.size(), "the dense rate");
  const GpuMemory y(device, 2 * values.size(), "the dense rate");
  fillRandomBfloat16(values, 1, 101);
  x.upload(values.data());
  fillRandomBfloat16(values, 1, 102);
  w.upload(values.data());
  const BestGpuDense best =
      fastestGpuDense(library, {size, size, size, ElementType::Bf16, x.address(), w.address(), y.address()},
                      workspace, trials);
  return best.product == nullptr ? 0 : double(size) * double(size) * double(size) / (1e-6 * best.us);
}

} // namespace algrt
