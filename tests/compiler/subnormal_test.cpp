// Numbers below the smallest normal one, in operands and in results. Sums keep them, but for pairs of bf16 on
// machines with an instruction for them, which takes such numbers for zero (docs/compiler.md).
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Layer;

// The activations of 0.25 to 2 times `left`, the others times `right`: one of them is subnormal, or their
// products are.
struct Scales {
  const char *name;
  double left, right;
};
constexpr Scales scales[] = {{"SubnormalOperands", 0x1p-130, 0x1p60}, {"SubnormalResults", 0x1p-70, 0x1p-64}};

void fill(PaddedMatrix &matrix, int64_t rows, int64_t columns, double scale, std::mt19937 &random) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      matrix.set(row, column, scale * static_cast<double>(1 + random() % 8) / 4);
}

// Positive terms, so that what is lost cannot be made up for. `lost` is the most that one product may lose.
void expectNear(const PaddedMatrix &actual, const std::vector<double> &expected, DataType stored, double lost,
                const char *what) {
  const std::vector<double> values = actual.values();
  const double unit = stored == DataType::BF16 ? 0x1p-8 : 0x1p-20,
               smallest = stored == DataType::BF16 ? 0x1p-133 : 0x1p-149;
  int64_t wrong = 0, something = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    something += expected[i] > 0;
    if (!(std::abs(values[i] - expected[i]) <= unit * expected[i] + smallest + lost) && ++wrong == 1)
      ADD_FAILURE() << what << ": element " << i << " is " << values[i] << ", not " << expected[i];
  }
  EXPECT_EQ(wrong, 0) << what;
  EXPECT_GT(something, 0) << what;
}

class Subnormal : public testing::TestWithParam<std::tuple<Scales, DataType, std::string>> {};

TEST_P(Subnormal, NumbersAreKeptInAllMaps) {
  const auto &[scale, dtype, level] = GetParam();
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  LayerCase which = layerCase("CompleteEven");
  which.dtype = dtype;
  const compiler::Spec spec = makeSpec(which);
  const Layer &layer = *spec.layer;
  const int64_t m = 37, k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  std::mt19937 random(5);
  PaddedMatrix x(m, k, 0, dtype), w(k, columns, 0, dtype), dy(m, n, 0, dtype), gradient(m, n, 0, dtype);
  fill(x, m, k, scale.left, random);
  fill(w, k, columns, scale.right, random);
  fill(dy, m, n, scale.left, random);
  fill(gradient, m, n, scale.right, random);
  const Batch batch{m, 3, {}};
  const CompiledLayer compiled(spec, level);
  // A pair whose operand or result is subnormal is zero: at most so much for each product of a sum.
  const bool pairs = dtype == DataType::BF16 && level == "native";
  const double largest = std::max(0x1p-126 * 2 * scale.right, 2 * 0x1p-126);
  const auto lost = [&](int64_t terms) { return pairs ? static_cast<double>(terms) * largest : 0; };

  const DenseProduct product(layer, w.values());
  PaddedMatrix y(m, n, 0, dtype), dx(m, k, 0, dtype), dw(k, columns, 0, dtype);
  compiled.multiply(batch, x, w, y, -1, 2);
  expectNear(y, product.multiply(batch, x.values()), dtype, lost(k), "Y");
  compiled.differentiate(batch, dy, w, dx, 2);
  expectNear(dx, product.multiplyTransposed(batch, dy.values()), dtype, lost(n), "dX");
  compiled.differentiateWeights(batch, x, gradient, dw, 0, 2);
  expectNear(dw, weightGradient(layer, batch, x.values(), gradient.values()), dtype, lost(m), "dW");
}

INSTANTIATE_TEST_SUITE_P(Layers, Subnormal,
                         testing::Combine(testing::ValuesIn(scales),
                                          testing::Values(DataType::F32, DataType::BF16),
                                          testing::Values(std::string("x86-64-v3"), std::string("native"))),
                         [](const auto &info) {
                           const std::string &level = std::get<2>(info.param);
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == DataType::F32 ? "F32" : "BF16") +
                                  (level == "native" ? "Native" : "V3");
                         });

} // namespace
