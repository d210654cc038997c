// What the kernels of bundles are compared with: cuBLASLt's product without the algebra, and the algebra's
// composed of cuBLAS's products of blocks.
#pragma once

#include "runtime/bench/gpu/checked_product.h"
#include "runtime/bench/gpu/rates.h"

#include <memory>
#include <string>

namespace algrt {

class GpuBaselines {
public:
  // Opens the libraries that there are. All that is given has to outlive this object.
  GpuBaselines(const GpuDevice &device, const GpuStream &stream, GpuTrials &trials, uint64_t workspace_bytes,
               uint64_t seed);

  // Their versions, or why there is none.
  const std::string &denseLibrary() const { return dense_library_; }
  const std::string &compositionLibrary() const { return composition_library_; }
  bool hasDense() const { return cublaslt_ != nullptr; }
  bool hasComposition() const { return cublas_ != nullptr; }

  // 0 where there is no library, or none that does it.
  double denseMacsPerSecond(int64_t size);
  // The library's best candidate for the map's product without the algebra, checked, or none. `found` says
  // which, or why there is none.
  BestGpuDense dense(CheckedProduct &product, std::string &found);
  // The library's best candidate for any product, not checked.
  BestGpuDense fastest(const GpuDenseOperands &operands);
  // For a product of the same shape that candidate once more, or else the library's first; null where it has
  // none.
  std::unique_ptr<GpuDenseProduct> likeThat(const GpuDenseProduct &product, const GpuDenseOperands &operands);
  // The faster way to compose the forward product of m rows, checked, with its error; or none.
  BestGpuDense composition(CheckedProduct &product, int64_t m, std::string &found, double &relative_l2);

private:
  GpuWorkspace workspace() const { return {workspace_->address(), workspace_->bytes()}; }

  const GpuDevice &device_;
  const GpuStream &stream_;
  GpuTrials &trials_;
  uint64_t seed_;
  std::string dense_library_, composition_library_;
  std::unique_ptr<CublasLt> cublaslt_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<GpuMemory> workspace_; // where there is a library
};

} // namespace algrt
