// Dense products of NVIDIA's cuBLASLt, opened at run time. Its declarations are ours: neither its headers nor
// the CUDA toolkit need be installed.
#pragma once

#include "runtime/bundle/layer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace algrt {

// y = x w on the device, all row-major and compact; x and w are bf16, y is `output`, sums are f32. x is m x k
// and w is k x n; what is transposed lies as its transpose does: x as k x m, w as n x k. With a bias, n bf16
// numbers, y = x w + bias, added by the product's own kernel; y is bf16 then.
struct GpuDenseOperands {
  int64_t m, k, n;
  ElementType output;
  uint64_t x, w, y; // device addresses
  bool x_transposed = false, w_transposed = false;
  uint64_t bias = 0; // device address; 0: none
  // Where the product's own kernel also writes the sums of w's columns, n bf16 numbers; 0: nowhere. Not with
  // a bias.
  uint64_t column_sums = 0;
};

// Device memory that the library may use during a product. At least 256-byte aligned.
struct GpuWorkspace {
  uint64_t address;
  uint64_t bytes;
};

// One algorithm that the library's heuristics propose for given operands.
class GpuDenseProduct {
public:
  virtual ~GpuDenseProduct() = default;
  // Queues the product on a stream (CUstream), which may be capturing. Throws Error(ALGRT_INTERNAL).
  virtual void enqueue(void *stream) const = 0;
  // "cuBLASLt 13.1.0, candidate 3 of 8, 4.2 MB workspace", and what it does
  // beside the product.
  virtual std::string name() const = 0;
};

class CublasLt {
public:
  // The library that the environment variable ALGRT_CUBLASLT names, otherwise libcublasLt.so.13, .12 or
  // without a number. Null where there is none that can be used; `found` then says why, otherwise which
  // version it is. The context of the device has to be current on the calling thread, here and later.
  static std::unique_ptr<CublasLt> open(std::string &found);
  virtual ~CublasLt() = default;

  // Up to `most` candidates, in the order in which the heuristics rank them; empty where the library has none
  // for these operands. They share the workspace and are valid as long as this object.
  virtual std::vector<std::unique_ptr<GpuDenseProduct>>
  candidates(const GpuDenseOperands &operands, const GpuWorkspace &workspace, int most) = 0;
  virtual std::string version() const = 0; // "13.1.0"
};

} // namespace algrt
