// The bundles that a process has opened, by the hash of what they contain: operators name them by it, so that
// an exported graph means the same in another process.
#pragma once

#include "python/operators/tensors.h"

#include <string>
#include <vector>

namespace algctl_torch {

struct Operand {
  std::string name;
  algrt_role role;
  bool optional, host;
  std::vector<ScalarType> types;
  std::vector<int64_t> shape;       // -1 where it depends on the call
  std::vector<std::string> symbols; // then how, "M" say; otherwise ""
};

struct Program {
  std::string name;
  std::vector<Operand> operands;
};

struct Bundle {
  algrt_bundle *handle = nullptr;
  std::string name;        // its hash
  bool projection = false; // else it holds programs alone, and `info` is empty
  algrt_bundle_info info = algrt_bundle_info_init();
  std::vector<Program> programs;

  // Throws where the bundle holds no projection.
  ScalarType type() const;
  // Rows after which the row types repeat; 0 for explicit ones.
  int64_t period() const { return info.types * info.row_type_width; }
};

// Opens a bundle for the rest of the process and returns its name. One with the same contents is opened once.
std::string openBundle(std::string path);
std::string openBundleBytes(Tensor bytes);
// An open bundle, or one that lies in the folder of kept bundles and is then opened. Throws where there is
// neither.
const Bundle &bundleNamed(const std::string &name);
// Where bundles are kept, for graphs that were exported by another process.
void setFolder(std::string folder);

// What the package shows of a bundle, as JSON.
std::string describe(std::string name);
// Of a projection: int64 [count, 4], type, output group, input group and row group of the weights of every
// block product, and float64 [count], their coefficients.
std::tuple<Tensor, Tensor> terms(std::string name);
// Loads kernels and tables for a device, which calls in a stream that is being captured do not.
void prepare(std::string name, int64_t device);

} // namespace algctl_torch
