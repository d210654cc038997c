// What is behind the opaque handles of algrt.h.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cpu/kernels.h"
#include "runtime/cuda/kernels.h"
#include "runtime/support/aligned_buffer.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

// A projection of a bundle with its kernels as this machine sees them.
struct LoadedProjection {
  explicit LoadedProjection(Bundle opened)
      : bundle(std::move(opened)), kernels(bundle), gpu_kernels(bundle) {}

  const Bundle bundle;
  const CpuKernels kernels;
  const cuda::GpuKernels gpu_kernels;
};

} // namespace algrt

// The bundle's own projection is the handle itself.
struct algrt_bundle : algrt::LoadedProjection {
  explicit algrt_bundle(algrt::Bundle opened);

  // That a step of a program names, 0 for the bundle's own.
  const algrt::LoadedProjection &projection(size_t number) const {
    return number == 0 ? *this : *further[number - 1];
  }

  std::vector<std::unique_ptr<const algrt::LoadedProjection>> further;
  // Of the signatures' extents that depend on a call.
  std::map<const algrt::Extent *, std::string> extent_texts;
  // JSON, made when it is first asked for: describing GPU kernels starts the CUDA driver.
  mutable std::mutex descriptions_mutex;
  mutable std::optional<std::string> kernel_descriptions;
};

struct algrt_weights {
  std::string bundle_hash; // of the bundle that packed it
  size_t kernel;           // index of the kernel that reads it
  algrt::AlignedBuffer packed;
};
