// Products composed of blocks by NVIDIA's cuBLAS, opened at run time. Its declarations are ours, as those of
// cuBLASLt are.
#pragma once

#include "runtime/bench/gpu/block_product.h"
#include "runtime/bench/gpu/cublaslt.h"
#include "runtime/bench/gpu/device.h"

#include <memory>
#include <string>
#include <vector>

namespace algrt {

// Device addresses of x, the weight matrix and y, all bf16.
struct GpuBlockOperands {
  uint64_t x, w, y;
};

class Cublas {
public:
  // The library that the environment variable ALGRT_CUBLAS names, otherwise libcublas.so.13, .12 or without a
  // number. Null where there is none that can be used; `found` then says why, otherwise which version it is.
  // The context of the device has to be current on the calling thread, here and later.
  static std::unique_ptr<Cublas> open(std::string &found);
  virtual ~Cublas() = default;

  // Ways to run the product: "batched", a call for all blocks of a round that have one shape, and, where the
  // library has it (12.5 and later), "grouped", a call for a round. Pointers of blocks are on the device when
  // this returns. Valid as long as this object. Throws Error(ALGRT_UNSUPPORTED) where a size does not fit the
  // library's 32 bits.
  virtual std::vector<std::unique_ptr<GpuDenseProduct>> compositions(const GpuDevice &device,
                                                                     const BlockProduct &product,
                                                                     const GpuBlockOperands &operands,
                                                                     const GpuWorkspace &workspace) = 0;
  virtual std::string version() const = 0; // "13.1.0"
};

} // namespace algrt
