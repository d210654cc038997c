// The gradient of a bias: sums of columns, on its own.
#include "runtime/cpu/bias_gradient.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace algrt {
namespace {

// Rows of `dy` lie further apart than they are long, with NaN between them.
constexpr int64_t m = 83, n = 1301, stride = 1310;

std::vector<float> paddedRows() {
  std::vector<float> dy(size_t(m * stride), std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> values = randomValues(m * n, 1, 3);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      dy[size_t(row * stride + column)] = roundToBfloat16(values[size_t(row * n + column)]);
  return dy;
}

std::vector<double> columnSums(const std::vector<float> &dy) {
  std::vector<double> sums(n);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      sums[size_t(column)] += dy[size_t(row * stride + column)];
  return sums;
}

template <typename Out> struct Result {
  std::vector<Out> values = std::vector<Out>(n);
  BiasGradientCall call(MatrixView dy, ElementType input) {
    BiasGradientCall call;
    call.dy = dy;
    call.input = input;
    call.dbias = {values.data(), 1, n, n};
    call.output = sizeof(Out) == 4 ? ElementType::F32 : ElementType::Bf16;
    return call;
  }
};

TEST(BiasGradient, SumsColumns) {
  std::vector<float> dy = paddedRows();
  const std::vector<double> sums = columnSums(dy);
  std::vector<uint16_t> halves;
  for (float value : dy)
    halves.push_back(toBfloat16(value));
  Result<float> from_f32, from_bf16;
  Result<uint16_t> half;
  runBiasGradient(from_f32.call({dy.data(), m, n, stride}, ElementType::F32));
  runBiasGradient(from_bf16.call({halves.data(), m, n, stride}, ElementType::Bf16));
  runBiasGradient(half.call({halves.data(), m, n, stride}, ElementType::Bf16));
  for (size_t column = 0; column < n; ++column) {
    EXPECT_EQ(from_f32.values[column], float(sums[column]));
    EXPECT_EQ(from_bf16.values[column], float(sums[column]));
    EXPECT_EQ(half.values[column], toBfloat16(float(sums[column])));
  }
}

TEST(BiasGradient, IsTheSameForAnyNumberOfThreads) {
  std::vector<float> dy = paddedRows();
  Result<float> alone, many;
  BiasGradientCall call = alone.call({dy.data(), m, n, stride}, ElementType::F32);
  call.threads = 1;
  runBiasGradient(call);
  call = many.call({dy.data(), m, n, stride}, ElementType::F32);
  call.threads = 5;
  runBiasGradient(call);
  EXPECT_EQ(alone.values, many.values);
}

TEST(BiasGradient, AddsToWhatIsThere) {
  std::vector<float> dy = paddedRows();
  const std::vector<double> sums = columnSums(dy);
  Result<float> result;
  result.values.assign(n, 2.0f);
  BiasGradientCall call = result.call({dy.data(), m, n, stride}, ElementType::F32);
  call.beta = -1.5f;
  runBiasGradient(call);
  for (size_t column = 0; column < n; ++column)
    EXPECT_EQ(result.values[column], float(sums[column] - 3.0));
  // Without beta what is there does not matter, and without rows the sum is empty.
  result.values.assign(n, std::numeric_limits<float>::quiet_NaN());
  call.beta = 0;
  call.dy.rows = 0;
  runBiasGradient(call);
  EXPECT_EQ(result.values, std::vector<float>(n, 0.0f));
}

TEST(BiasGradient, KeepsNanInItsColumn) {
  std::vector<float> dy = paddedRows();
  dy[5 * stride + 7] = std::numeric_limits<float>::quiet_NaN();
  dy[6 * stride + 300] = std::numeric_limits<float>::infinity();
  Result<float> result;
  runBiasGradient(result.call({dy.data(), m, n, stride}, ElementType::F32));
  for (size_t column = 0; column < n; ++column) {
    EXPECT_EQ(std::isnan(result.values[column]), column == 7);
    EXPECT_EQ(std::isinf(result.values[column]), column == 300);
  }
}

} // namespace
} // namespace algrt
