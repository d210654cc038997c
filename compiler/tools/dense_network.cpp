#include "compiler/tools/dense_network.h"

#include "compiler/process/failure.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace compiler {
namespace {

using algrt::AlignedBuffer;

int64_t bytesOf(const Swiglu &network) { return network.dtype == algebras::DataType::F32 ? 4 : 2; }

AlignedBuffer room(const Swiglu &network, int64_t rows, int64_t columns) {
  const int64_t elements = algrt::checkedMultiply(rows, columns, "a matrix of the dense network");
  return AlignedBuffer(static_cast<size_t>(
      algrt::checkedMultiply(elements, bytesOf(network), "a matrix of the dense network")));
}

AlignedBuffer randomMatrix(const Swiglu &network, int64_t rows, int64_t columns, double deviation,
                           uint64_t seed) {
  AlignedBuffer buffer = room(network, rows, columns);
  const std::vector<float> values = algrt::randomValues(rows * columns, deviation, seed);
  if (bytesOf(network) == 4)
    std::memcpy(buffer.data(), values.data(), buffer.size());
  else
    std::ranges::transform(values, reinterpret_cast<uint16_t *>(buffer.data()), algrt::toBfloat16);
  return buffer;
}

// Some columns of a compact matrix, whose rows have `width` elements.
struct Columns {
  std::array<int64_t, 2> shape, strides;
  DLTensor tensor;

  Columns(const Swiglu &network, const AlignedBuffer &matrix, int64_t rows, int64_t width, int64_t first,
          int64_t count)
      : shape{rows, count}, strides{width, 1},
        tensor{const_cast<std::byte *>(reinterpret_cast<const std::byte *>(matrix.data())) +
                   first * bytesOf(network),
               {kDLCPU, 0},
               2,
               {static_cast<uint8_t>(bytesOf(network) == 4 ? kDLFloat : kDLBfloat),
                static_cast<uint8_t>(8 * bytesOf(network)), 1},
               shape.data(),
               strides.data(),
               0} {}
  Columns(const Columns &) = delete;
};

} // namespace

DenseNetwork::DenseNetwork(const Swiglu &network, int64_t m, int threads, const std::string &activation,
                           algrt::DenseLibraries &libraries)
    : network_(network), m_(m), hidden_(network.hidden.total()),
      merged_width_((network.gate ? 2 : 1) * hidden_), threads_(threads),
      activation_(openBundle(activation)) {
  const int64_t in = network.in.total(), out = network.out.total();
  x_ = randomMatrix(network, m, in, 1, 1);
  merged_weights_ = randomMatrix(network, in, merged_width_, 1 / std::sqrt(static_cast<double>(in)), 2);
  merged_sums_ = room(network, m, merged_width_);
  h_ = room(network, m, hidden_);
  down_weights_ = randomMatrix(network, hidden_, out, 1 / std::sqrt(static_cast<double>(hidden_)), 3);
  y_ = room(network, m, out);
  const algrt::ElementType type = bytesOf(network) == 4 ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
  merged_ =
      libraries.fastest({m, in, merged_width_, type, x_.data(), merged_weights_.data(), merged_sums_.data()});
  down_ = libraries.fastest({m, hidden_, out, type, h_.data(), down_weights_.data(), y_.data()});
}

std::string DenseNetwork::libraryName() const {
  return merged_->name() == down_->name() ? merged_->name() : merged_->name() + "; " + down_->name();
}

void DenseNetwork::run() {
  merged_->run();
  const Columns gate(network_, merged_sums_, m_, merged_width_, 0, hidden_),
      up(network_, merged_sums_, m_, merged_width_, merged_width_ - hidden_, hidden_),
      h(network_, h_, m_, hidden_, 0, hidden_);
  std::vector<algrt_named_tensor> tensors = {{"up", &up.tensor, nullptr}, {"h", &h.tensor, nullptr}};
  if (network_.gate)
    tensors.push_back({"gate", &gate.tensor, nullptr});
  algrt_run_options options = algrt_run_options_init();
  options.threads = threads_;
  requireDone(algrt_run(activation_.get(), "forward", tensors.data(), static_cast<int64_t>(tensors.size()),
                        &options));
  down_->run();
}

std::vector<double> DenseNetwork::row(const AlignedBuffer &matrix, int64_t number, int64_t width) const {
  std::vector<double> values(static_cast<size_t>(width));
  for (int64_t column = 0; column < width; ++column) {
    const int64_t index = number * width + column;
    values[static_cast<size_t>(column)] =
        bytesOf(network_) == 4
            ? reinterpret_cast<const float *>(matrix.data())[index]
            : algrt::fromBfloat16(reinterpret_cast<const uint16_t *>(matrix.data())[index]);
  }
  return values;
}

void DenseNetwork::check() const {
  // The first row, one in the middle and the last.
  const int64_t in = network_.in.total(), out = network_.out.total();
  std::vector<float> actual;
  std::vector<double> expected;
  for (const int64_t number : {int64_t{0}, m_ / 2, m_ - 1}) {
    const auto product = [&](const std::vector<double> &values, const AlignedBuffer &weights, int64_t width) {
      std::vector<double> sums(static_cast<size_t>(width));
      for (size_t depth = 0; depth < values.size(); ++depth) {
        const std::vector<double> weights_row = row(weights, static_cast<int64_t>(depth), width);
        for (size_t column = 0; column < sums.size(); ++column)
          sums[column] += values[depth] * weights_row[column];
      }
      return sums;
    };
    const std::vector<double> merged = product(row(x_, number, in), merged_weights_, merged_width_);
    std::vector<double> hidden(static_cast<size_t>(hidden_));
    for (size_t column = 0; column < hidden.size(); ++column)
      hidden[column] = algrt::activated(network_.activation, merged[column]) *
                       (network_.gate ? merged[static_cast<size_t>(hidden_) + column] : 1);
    const std::vector<double> y = product(hidden, down_weights_, out);
    expected.insert(expected.end(), y.begin(), y.end());
    for (const double value : row(y_, number, out))
      actual.push_back(static_cast<float>(value));
  }
  // Rounded three times in bf16: sums, hidden activations, results.
  const double limit = 3 * algrt::tolerance(bytesOf(network_) == 2);
  if (const algrt::Comparison found = algrt::compare(actual, expected); !found.within(limit))
    throw Failure(
        fmt::format("the dense network of {} computes something else than its definition: relative L2 "
                    "error {:.3e}, {:.0e} is allowed",
                    libraryName(), found.relative_l2, limit));
}

} // namespace compiler
