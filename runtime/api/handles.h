// What is behind the opaque handles of algrt.h.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cpu/kernels.h"
#include "runtime/support/aligned_buffer.h"

struct algrt_bundle {
  explicit algrt_bundle(algrt::Bundle opened);

  const algrt::Bundle bundle;
  const algrt::CpuKernels kernels;
  const std::string kernel_descriptions; // JSON
};

struct algrt_weights {
  std::string bundle_hash; // of the bundle that packed it
  size_t kernel;           // index of the kernel that reads it
  algrt::AlignedBuffer packed;
};
