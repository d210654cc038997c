// What is behind the opaque handles of algrt.h.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cpu/kernels.h"
#include "runtime/cuda/kernels.h"
#include "runtime/support/aligned_buffer.h"

#include <mutex>
#include <optional>

struct algrt_bundle {
  explicit algrt_bundle(algrt::Bundle opened);

  const algrt::Bundle bundle;
  const algrt::CpuKernels kernels;
  const algrt::cuda::GpuKernels gpu_kernels;
  // JSON, made when it is first asked for: describing GPU kernels starts the CUDA driver.
  mutable std::mutex descriptions_mutex;
  mutable std::optional<std::string> kernel_descriptions;
};

struct algrt_weights {
  std::string bundle_hash; // of the bundle that packed it
  size_t kernel;           // index of the kernel that reads it
  algrt::AlignedBuffer packed;
};
