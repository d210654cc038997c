// The bias of compiled layers, added by the forward kernels, and its gradient, which comes with that of the
// weight matrix.
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Layer;

constexpr double nan_bias = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite_bias = std::numeric_limits<double>::infinity();

compiler::Spec biasedSpec(const std::string &name) {
  compiler::Spec spec = makeSpec(layerCase(name));
  spec.layer->bias = true;
  return spec;
}

Batch batchOf(const Layer &layer, int64_t m, std::mt19937 &random) {
  Batch batch;
  batch.m = m;
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    for (int64_t row = 0; row < m; ++row)
      batch.types.push_back(static_cast<int32_t>(random() % layer.lift.types()));
  else
    batch.p0 = static_cast<int64_t>(random() % 1000);
  return batch;
}

// Each off by no more than the two roundings of a bf16 result, or a small multiple of those of an f32 sum.
void expectNear(const PaddedMatrix &actual, const std::vector<double> &expected, DataType dtype) {
  const std::vector<double> values = actual.values();
  size_t wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double allowed = (std::abs(expected[i]) + 1) * (dtype == DataType::F32 ? 1e-5 : 8e-3);
    // Not the other way round: what is not a number has to fail.
    if (!(std::abs(values[i] - expected[i]) <= allowed) && ++wrong == 1)
      ADD_FAILURE() << "element " << i << " is " << values[i] << ", not " << expected[i];
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(actual.paddingIntact());
}

class Bias : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (levelsHere().empty())
      GTEST_SKIP() << "this machine is below x86-64-v3";
  }
};

TEST_P(Bias, IsAddedByEveryKernel) {
  const compiler::Spec spec = biasedSpec(GetParam());
  const Layer &layer = *spec.layer;
  const int64_t k = layer.in.total(), n = layer.out.total();
  std::mt19937 random(19);
  for (const std::string &level : levelsHere()) {
    const CompiledLayer compiled(spec, level);
    ASSERT_EQ(compiled.kernels().size(), 3u);
    for (int64_t m : {0, 1, 37, 149}) {
      SCOPED_TRACE(testing::Message() << level << ", " << m << " rows");
      const Batch batch = batchOf(layer, m, random);
      PaddedMatrix x(m, k, 3, layer.dtype), w(k, weightColumns(layer), 2, layer.dtype);
      PaddedMatrix bias(1, n, 64, layer.dtype); // behind it NaN, which nobody may add
      x.fill(random);
      w.fill(random);
      bias.fill(random);
      std::vector<double> expected = DenseProduct(layer, w.values()).multiply(batch, x.values());
      const std::vector<double> added = bias.values();
      for (size_t i = 0; i < expected.size(); ++i)
        expected[i] += added[i % static_cast<size_t>(n)];
      for (int kernel = -1; kernel < 3; ++kernel) {
        SCOPED_TRACE(kernel);
        std::vector<char> alone;
        for (int threads : {1, 5}) {
          PaddedMatrix y(m, n, 1, layer.dtype);
          compiled.multiply(batch, x, w, y, kernel, threads, &bias);
          expectNear(y, expected, layer.dtype);
          if (threads == 1)
            alone.assign(y.bytes().begin(), y.bytes().end());
          EXPECT_TRUE(std::ranges::equal(y.bytes(), alone)) << threads << " threads give other bits than one";
        }
      }
    }
  }
}

// What rows of zeros give, and groups that a type does not reach: the bias, bit by bit. NaN and infinite_bias
// stay in their columns.
TEST_P(Bias, IsAllThatZerosGive) {
  const compiler::Spec spec = biasedSpec(GetParam());
  const Layer &layer = *spec.layer;
  const int64_t k = layer.in.total(), n = layer.out.total(), m = 23;
  const CompiledLayer compiled(spec, "native");
  std::mt19937 random(23);
  const Batch batch = batchOf(layer, m, random);
  PaddedMatrix x(m, k, 0, layer.dtype), w(k, weightColumns(layer), 0, layer.dtype),
      bias(1, n, 0, layer.dtype);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < k; ++column)
      x.set(row, column, 0);
  w.fill(random);
  bias.fill(random);
  bias.set(0, 0, nan_bias);
  bias.set(0, n / 2, infinite_bias);
  bias.set(0, n - 1, -infinite_bias);
  const std::vector<double> expected = bias.values();
  for (int kernel = 0; kernel < 3; ++kernel) {
    PaddedMatrix y(m, n, 2, layer.dtype);
    compiled.multiply(batch, x, w, y, kernel, 2, &bias);
    const std::vector<double> values = y.values();
    for (size_t i = 0; i < values.size(); ++i) {
      const double wanted = expected[i % static_cast<size_t>(n)];
      ASSERT_TRUE(std::isnan(wanted) ? std::isnan(values[i]) : values[i] == wanted)
          << compiled.kernels()[static_cast<size_t>(kernel)] << ": element " << i << " is " << values[i]
          << ", not " << wanted;
    }
  }
}

// Sums of the columns of dY, in both types, written and added to, with and without rows.
TEST_P(Bias, GradientComesWithThatOfTheWeights) {
  compiler::Spec spec = biasedSpec(GetParam());
  const Layer &layer = *spec.layer;
  const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  const CompiledLayer compiled(spec, "native");
  std::mt19937 random(29);
  for (int64_t m : {0, 1, 131}) {
    const Batch batch = batchOf(layer, m, random);
    PaddedMatrix x(m, k, 1, layer.dtype), dy(m, n, 5, layer.dtype);
    x.fill(random);
    dy.fill(random);
    std::vector<double> sums(static_cast<size_t>(n));
    const std::vector<double> gradients = dy.values();
    for (size_t i = 0; i < gradients.size(); ++i)
      sums[i % static_cast<size_t>(n)] += gradients[i];
    for (DataType type : {DataType::F32, layer.dtype})
      for (float beta : {0.0f, -0.75f}) {
        SCOPED_TRACE(testing::Message() << m << " rows, beta " << beta);
        const uint32_t before = random();
        std::vector<char> alone, weight_alone;
        for (int threads : {1, 3}) {
          PaddedMatrix dw(k, columns, 0, type), dbias(1, n, 7, type), weights(k, columns, 0, type);
          std::vector<double> expected = sums;
          if (beta != 0) { // otherwise what they hold, NaN, must not be read
            std::mt19937 same(before), again(before);
            dw.fill(same);
            weights.fill(again);
            dbias.fill(same);
            const std::vector<double> held = dbias.values();
            for (size_t i = 0; i < expected.size(); ++i)
              expected[i] += beta * held[i];
          }
          compiled.differentiateWeights(batch, x, dy, dw, beta, threads, &dbias);
          compiled.differentiateWeights(batch, x, dy, weights, beta, threads);
          expectNear(dbias, expected, type);
          EXPECT_TRUE(std::ranges::equal(dw.bytes(), weights.bytes())) << "dw is another beside dbias";
          if (threads == 1)
            alone.assign(dbias.bytes().begin(), dbias.bytes().end());
          EXPECT_TRUE(std::ranges::equal(dbias.bytes(), alone)) << threads << " threads give other bits";
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, Bias,
                         testing::Values("CompleteOddHalf", "CompleteUnequal", "CompleteUnequalHalf",
                                         "CompleteOneOut", "PowerHalf", "TriangularHalf", "Graph",
                                         "MatrixFactorUnequal", "QuaternionsHalf", "CliffordRational",
                                         "ZeroProduct"),
                         [](const testing::TestParamInfo<std::string> &info) { return info.param; });

// A sum that is a tie of bf16 by itself: with the bias it lies above, and would not after a rounding of its
// own.
TEST(BiasRounding, IsRoundedOnceWithTheSum) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const compiler::Spec spec = biasedSpec("PowerHalf");
  const Layer &layer = *spec.layer;
  ASSERT_EQ(layer.dtype, DataType::BF16);
  const int64_t k = layer.in.total(), n = layer.out.total(), m = 16;
  const CompiledLayer compiled(spec, "native");
  std::mt19937 random(31);
  const Batch batch = batchOf(layer, m, random);
  PaddedMatrix x(m, k, 0, layer.dtype), w(k, n, 0, layer.dtype), bias(1, n, 0, layer.dtype);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < k; ++column)
      x.set(row, column, column == 0 ? 1 : column == 1 ? 0x1p-8 : 0);
  for (int64_t row = 0; row < k; ++row)
    for (int64_t column = 0; column < n; ++column)
      w.set(row, column, 1);
  for (int64_t column = 0; column < n; ++column)
    bias.set(0, column, 0x1p-12);
  const std::vector<double> sums = DenseProduct(layer, w.values()).multiply(batch, x.values());
  for (int kernel = 0; kernel < 3; ++kernel) {
    PaddedMatrix y(m, n, 0, layer.dtype);
    compiled.multiply(batch, x, w, y, kernel, 1, &bias);
    const std::vector<double> values = y.values();
    size_t reached = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(sums[i] == 0 || sums[i] == 1 + 0x1p-8) << sums[i];
      reached += sums[i] != 0;
      ASSERT_EQ(values[i], sums[i] == 0 ? 0x1p-12 : 1 + 0x1p-7) << "element " << i;
    }
    EXPECT_GT(reached, 0u);
  }
}

// The interface says what is missing, and what is too much.
TEST(BiasArguments, BelongToLayersThatHaveOne) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  for (bool has : {true, false}) {
    compiler::Spec spec = makeSpec(layerCase("CompleteUnequal"));
    spec.layer->bias = has;
    const Layer &layer = *spec.layer;
    const CompiledLayer compiled(spec, "native");
    std::mt19937 random(37);
    const Batch batch = batchOf(layer, 5, random);
    PaddedMatrix x(5, layer.in.total(), 0, layer.dtype),
        w(layer.in.total(), layer.out.total(), 0, layer.dtype), y(5, layer.out.total(), 0, layer.dtype),
        bias(1, layer.out.total(), 0, layer.dtype);
    x.fill(random);
    w.fill(random);
    bias.fill(random);
    try {
      compiled.multiply(batch, x, w, y, -1, 1, has ? nullptr : &bias);
      FAIL() << "done all the same";
    } catch (const std::runtime_error &error) {
      const std::string sentence = error.what();
      EXPECT_NE(sentence.find("ALGRT_INVALID_ARGUMENT: bias is "), std::string::npos) << sentence;
      EXPECT_NE(sentence.find(has ? "null: the layer adds a bias" : "given, but the layer"),
                std::string::npos)
          << sentence;
    }
  }
}

} // namespace
