// A product through algrt.h on the CPU, by kernels written by hand, with everything it needs.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/guarded_matrix.h"
#include "tests/runtime/shapes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace algrt::test {

struct CloseHandle {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
  void operator()(algrt_weights *weights) const { algrt_weights_free(weights); }
};
using BundleHandle = std::unique_ptr<algrt_bundle, CloseHandle>;
using WeightsHandle = std::unique_ptr<algrt_weights, CloseHandle>;

inline BundleHandle openBytes(const std::string &bytes) {
  algrt_bundle *bundle = nullptr;
  EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &bundle), ALGRT_OK) << algrt_last_error();
  return BundleHandle(bundle);
}

inline WeightsHandle packWeights(const BundleHandle &bundle, const DLTensor &w) {
  algrt_weights *weights = nullptr;
  EXPECT_EQ(algrt_weights_pack(bundle.get(), &w, 0, &weights), ALGRT_OK) << algrt_last_error();
  return WeightsHandle(weights);
}

// One product with everything it needs, correct until a test spoils it.
struct CpuProduct {
  CpuProduct(const Shape &shape, int64_t m, int64_t padding = 0)
      : shape(shape), bytes(bundleOf(shape)), bundle(openBytes(bytes)),
        x(m, shape.k(), shape.k() + padding, shape.bfloat16),
        w(shape.k(), shape.weightColumns(), shape.weightColumns() + padding, shape.bfloat16),
        y(m, shape.n(), shape.n() + padding, shape.bfloat16), args(algrt_forward_args_init()) {
    x.fill(1, 1);
    w.fill(2, 1 / std::sqrt(double(shape.k())));
    args.x = &x.tensor;
    args.w = &w.tensor;
    args.y = &y.tensor;
    types_tensor.data = nullptr;
    if (shape.period == 0)
      setTypes([&](int64_t row) { return int32_t(row * row % 5); }); // of 6 types: some have no row
  }

  template <typename Function> void setTypes(Function &&type_of_row) {
    types.clear();
    for (int64_t row = 0; row < x.rows; ++row)
      types.push_back(type_of_row(row));
    types_shape = {x.rows};
    types_tensor = {types.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1}, types_shape.data(), nullptr, 0};
    args.types = &types_tensor;
  }

  // Whole numbers of 4 or 8 bytes as one of the arguments of the call, kept until the next one of that name.
  struct Integers {
    std::vector<int64_t> wide;
    std::vector<int32_t> narrow;
    int64_t size = 0, stride = 1;
    DLTensor tensor{};
    const DLTensor *set(const std::vector<int64_t> &values, bool int64) {
      wide = values;
      narrow.assign(values.begin(), values.end());
      size = int64_t(values.size());
      void *data = int64 ? static_cast<void *>(wide.data()) : static_cast<void *>(narrow.data());
      tensor = {data, {kDLCPU, 0}, 1, {kDLInt, uint8_t(int64 ? 64 : 32), 1}, &size, &stride, 0};
      return &tensor;
    }
  };

  // The types that the reference takes, from the position of every row.
  void followFrom(const std::vector<int64_t> &positions_of_rows) {
    types.clear();
    if (shape.period > 0)
      for (const int64_t position : positions_of_rows)
        types.push_back(int32_t(position / shape.period % shape.groups));
  }
  void setPositions(const std::vector<int64_t> &values, bool int64) {
    args.positions = positions.set(values, int64);
    followFrom(values);
  }
  // Sequences of these lengths whose first rows are at these positions, or all at 0.
  void setSequences(const std::vector<int64_t> &lengths, const std::vector<int64_t> &firsts, bool int64) {
    std::vector<int64_t> sums = {0}, at;
    for (size_t s = 0; s < lengths.size(); ++s) {
      sums.push_back(sums.back() + lengths[s]);
      for (int64_t i = 0; i < lengths[s]; ++i)
        at.push_back((firsts.empty() ? 0 : firsts[s]) + i);
    }
    args.sequence_starts = starts.set(sums, int64);
    args.sequence_positions = firsts.empty() ? nullptr : sequence_positions.set(firsts, int64);
    followFrom(at);
  }

  // Sequences of so many rows each, all from position p0 on.
  void setEqualSequences(int64_t rows, int64_t p0) {
    args.sequence_rows = rows;
    args.p0 = p0;
    std::vector<int64_t> at;
    for (int64_t row = 0; row < x.rows; ++row)
      at.push_back(p0 + row % rows);
    followFrom(at);
  }

  int run() { return algrt_forward(bundle.get(), &args); }

  Comparison check() const {
    const Bundle parsed = Bundle::parse(bytes);
    const std::vector<float> x_values = x.values(), w_values = w.values();
    const std::vector<double> expected =
        referenceForward({&parsed.layer(), &parsed.support(), x.rows, x_values.data(), x.columns,
                          w_values.data(), w.columns, args.p0, types.empty() ? nullptr : types.data()});
    return compare(y.values(), expected);
  }

  void expectCorrect(const std::string &what) {
    ASSERT_EQ(run(), ALGRT_OK) << what << ": " << algrt_last_error();
    const Comparison comparison = check();
    EXPECT_TRUE(comparison.within(tolerance(shape.bfloat16))) << what << ": " << comparison.relative_l2;
    EXPECT_TRUE(y.paddingUntouched()) << what;
  }

  const Shape &shape;
  std::string bytes;
  BundleHandle bundle;
  GuardedMatrix x, w, y;
  std::vector<int32_t> types;
  std::vector<int64_t> types_shape;
  DLTensor types_tensor;
  Integers positions, starts, sequence_positions;
  algrt_forward_args args;
};

} // namespace algrt::test
