// One product through the runtime's C interface.
#pragma once

#include "compiler/tools/run_arrays.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct ProductOptions {
  algrt::Map map = algrt::Map::Forward;
  int64_t p0 = 0;
  int32_t threads = 0;                           // 0 = all
  std::optional<bool> packed;                    // nothing: packed where the bundle has a kernel for it
  float beta = 0;                                // of the map dw: what dw holds before counts so often
  std::optional<algrt::ElementType> result_type; // of the map dw; nothing: the layer's
  bool dbias = false;                            // with the map dw, also the gradient of the bias
};

struct ProductResult {
  std::vector<float> y;     // m x n; of the gradients dx, m x k, and dw, k x weightColumns
  std::vector<float> dbias; // n, where it was asked for
  bool packed = false;
  double seconds = 0;      // of the product, once the kernels are loaded and their memory has been touched
  double pack_seconds = 0; // of packing, where it was done
};

// Bytes that runProduct takes besides the arrays, of a batch of m rows: the operands in the layer's type, the
// result in both, packed weights and the workspace. Throws as runProduct does.
int64_t productBytes(const std::string &bundle_path, const algrt::Layer &layer, int64_t m,
                     const ProductOptions &options);

// Throws Failure or AbsentError with the runtime's sentence.
ProductResult runProduct(const std::string &bundle_path, const algrt::Layer &layer, const RunArrays &arrays,
                         const ProductOptions &options);

} // namespace compiler
