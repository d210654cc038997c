// What is behind the opaque handles of algrt.h.
#pragma once

#include "runtime/algrt.h"
#include "runtime/api/elementwise_step.h"
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
  LoadedProjection(Bundle opened, size_t number)
      : bundle(std::move(opened)), number(number), kernels(bundle), gpu_kernels(bundle) {}

  const Bundle bundle;
  const size_t number; // that steps name (Bundle::projection)
  const CpuKernels kernels;
  const cuda::GpuKernels gpu_kernels;
  // Functions that steps of programs name, and what algrt_dw sums dbias by: of the bundle's own projection.
  const LoadedElementwise elementwise{bundle};
};

} // namespace algrt

// The bundle's own projection is the handle itself. In that of a bundle that holds programs alone there is
// none: it has no kernels, and whoever asks for its layer is refused.
struct algrt_bundle : algrt::LoadedProjection {
  explicit algrt_bundle(algrt::Bundle opened);

  // That a step of a program names.
  const algrt::LoadedProjection &projection(size_t number) const {
    if (!bundle.hasProjection())
      return *further[number];
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
  size_t projection;       // of that bundle: its number
  size_t kernel;           // index of the kernel that reads it
  int64_t layer;           // of that kernel's, as Fusion::layerOf
  algrt::AlignedBuffer packed;
  // Of experts, in the place of `packed`: the weights of each, and what shape these have.
  std::vector<std::unique_ptr<algrt_weights>> experts = {};
  algrt::Shape expert_shape = {};
};
