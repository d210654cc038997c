// A compiled layer, opened by the runtime, and matrices with padding around them for it to work on.
#pragma once

#include "compiler/spec/spec.h"
#include "runtime/algrt.h"
#include "tests/compiler/dense_product.h"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace compiler_test {

// Row-major in the layer's element type, each row followed by `padding` elements that nobody may read or
// write: every one holds a NaN with a payload of its own.
class PaddedMatrix {
public:
  PaddedMatrix(int64_t rows, int64_t columns, int64_t padding, algebras::DataType dtype);
  PaddedMatrix(const PaddedMatrix &) = delete;
  PaddedMatrix &operator=(const PaddedMatrix &) = delete;

  // Rounds to the element type.
  void set(int64_t row, int64_t column, double value);
  void fill(std::mt19937 &random);
  // Without the padding.
  std::vector<double> values() const;
  bool paddingIntact() const;
  std::span<const char> bytes() const { return {start_, storage_.size() - 64}; }
  const DLTensor *tensor() const { return &descriptor_; }
  // The only row of a matrix that has one.
  DLTensor vector() const;

  void *data() { return start_; }
  int64_t leading() const { return strides_[0]; }

private:
  size_t elementBytes() const { return dtype_ == algebras::DataType::F32 ? 4 : 2; }
  using Guard = std::array<char, 4>;
  Guard guard(size_t element) const;

  algebras::DataType dtype_;
  int64_t shape_[2], strides_[2];
  std::vector<char> storage_;
  char *start_ = nullptr; // the first aligned byte of storage
  DLTensor descriptor_{};
};

class CompiledLayer {
public:
  // Compiles into a temporary bundle and opens it. Throws what the compiler throws.
  CompiledLayer(const compiler::Spec &spec, const std::string &level);

  // How the weight matrix is read by the forward kernels of the bundle, in the manifest's order: "packed",
  // "copied", "direct".
  const std::vector<std::string> &kernels() const { return kernel_names_; }
  // Y from kernel number `kernel`, or from the one that the runtime chooses where `kernel` is -1. A packed
  // kernel gets its weight matrix packed first. The bias, where the layer has one, is a matrix of one row. A
  // failure of the runtime is a std::runtime_error.
  void multiply(const Batch &batch, const PaddedMatrix &x, const PaddedMatrix &w, PaddedMatrix &y, int kernel,
                int threads, const PaddedMatrix *bias = nullptr) const;
  // dX from dY, the gradient's only kernel.
  void differentiate(const Batch &batch, const PaddedMatrix &dy, const PaddedMatrix &w, PaddedMatrix &dx,
                     int threads) const;

  // dW from X and dY, beta times what it holds added, and the gradient of the bias where a row for it is
  // given.
  void differentiateWeights(const Batch &batch, const PaddedMatrix &x, const PaddedMatrix &dy,
                            PaddedMatrix &dw, float beta, int threads, PaddedMatrix *dbias = nullptr) const;

private:
  // What says the types or the positions of the rows, as long as a call needs it.
  struct RowTensors {
    DLTensor types{}, positions{}, starts{}, sequence_positions{};
    int64_t rows = 0, bounds = 0, sequences = 0;
  };
  // Sets what the arguments of all maps have in common.
  template <class Args> void setBatch(Args &args, const Batch &batch, RowTensors &rows, int threads) const;

  std::unique_ptr<algrt_bundle, decltype(&algrt_bundle_close)> bundle_{nullptr, algrt_bundle_close};
  std::vector<std::string> kernel_names_;
};

} // namespace compiler_test
