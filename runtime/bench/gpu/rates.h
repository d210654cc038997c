// What the device can do, measured in the same run as everything else: the rates that floors are made of.
#pragma once

#include "runtime/bench/gpu/cublaslt.h"
#include "runtime/bench/gpu/device.h"
#include "runtime/bench/gpu/trials.h"

namespace algrt {

// Copying within the device's memory: bytes read plus bytes written per second, the best over copies of
// several sizes. Those for which there is no memory are left out.
double gpuCopyBytesPerSecond(const GpuDevice &device, const GpuStream &stream,
                             const std::vector<size_t> &sizes);

// Multiply-accumulates per second of the library's best candidate for size x size x size in bf16, on random
// numbers (products of zeros draw less power and run at higher clocks); 0 where it has no candidate.
double gpuDenseMacsPerSecond(const GpuDevice &device, CublasLt &library, const GpuWorkspace &workspace,
                             GpuTrials &trials, int64_t size);

// As many candidates as the library's heuristics usually have for one shape, and more.
inline constexpr int most_candidates = 32;

// The candidate with the least calibrated time and that time; null where there is none.
struct BestGpuDense {
  std::unique_ptr<GpuDenseProduct> product;
  double us = 0;
  // Candidates that the library refused to run, with its reason.
  std::vector<std::string> refused;
};
BestGpuDense fastestOf(std::vector<std::unique_ptr<GpuDenseProduct>> products, GpuTrials &trials);
BestGpuDense fastestGpuDense(CublasLt &library, const GpuDenseOperands &operands,
                             const GpuWorkspace &workspace, GpuTrials &trials);

} // namespace algrt
