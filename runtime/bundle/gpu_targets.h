// What kernels for GPUs are compiled for: the one list of such targets. Compiler, simulator, tools and
// runtime read it here; what the compiler's cost model knows of a device is in
// compiler/schedule/gpu_machine.h.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace algrt {

struct GpuTarget {
  std::string_view name;   // as --target and bundles have it
  int32_t architecture;    // ten times the compute capability that its kernels are compiled for
  bool exact_architecture; // they run on that capability alone; else on later ones too, from PTX
  // Blocks of regular layers are moved by the copy engine and multiplied by wgmma; else, and for other
  // layers, threads copy and multiply by mma.sync.
  bool copy_engine;
  // The oldest PTX that has every instruction that the kernels use, as LLVM names the feature.
  const char *ptx;

  constexpr bool runsOn(int32_t capability) const {
    return exact_architecture ? capability == architecture : capability >= architecture;
  }
};

// Drivers since 11.0 compile PTX 7.0, which brought cp.async and products of bf16; drivers since 12.0 compile
// PTX 8.0, which brought wgmma.
inline constexpr std::array gpu_targets = {
    GpuTarget{.name = "sm_80",
              .architecture = 80,
              .exact_architecture = false,
              .copy_engine = false,
              .ptx = "+ptx70"},
    GpuTarget{.name = "sm_90a",
              .architecture = 90,
              .exact_architecture = true,
              .copy_engine = true,
              .ptx = "+ptx80"},
};

// Null for a name that is not in the list.
constexpr const GpuTarget *findGpuTarget(std::string_view name) {
  const auto *found = std::ranges::find(gpu_targets, name, &GpuTarget::name);
  return found == gpu_targets.end() ? nullptr : found;
}

// What to compile for where kernels are to run on a device of such a capability: the target of its own, else
// the newest whose kernels it runs; null where there is none.
constexpr const GpuTarget *gpuTargetFor(int32_t capability) {
  const GpuTarget *best = nullptr;
  for (const GpuTarget &target : gpu_targets)
    if (target.runsOn(capability) && (!best || target.architecture >= best->architecture))
      best = &target;
  return best;
}

} // namespace algrt
