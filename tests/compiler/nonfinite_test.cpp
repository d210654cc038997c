// NaN and infinity go exactly where the terms take them, in the product and in both gradients.
#include "algebras/constructions.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace compiler_test;
using algebras::Layer;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

enum class Kind { Finite, NotANumber, Positive, Negative };

Kind kindOf(double value) {
  if (std::isnan(value))
    return Kind::NotANumber;
  return std::isfinite(value) ? Kind::Finite : value > 0 ? Kind::Positive : Kind::Negative;
}

void expectKinds(const PaddedMatrix &result, const std::vector<double> &expected, int64_t width,
                 const std::string &kernel) {
  const std::vector<double> actual = result.values();
  int64_t wrong = 0, finite = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    finite += kindOf(expected[i]) == Kind::Finite;
    if (kindOf(actual[i]) != kindOf(expected[i]) && ++wrong == 1)
      ADD_FAILURE() << kernel << " gives " << actual[i] << " and not " << expected[i] << " in row "
                    << i / static_cast<size_t>(width) << ", column " << i % static_cast<size_t>(width);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(finite, 0) << "nothing finite is left, so that this tests nothing";
  EXPECT_LT(finite, static_cast<int64_t>(expected.size()));
  EXPECT_TRUE(result.paddingIntact());
}

class Nonfinite : public testing::TestWithParam<std::string> {};

TEST_P(Nonfinite, KindsAgreeWithTerms) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const compiler::Spec spec = makeSpec(layerCase(GetParam()));
  const Layer &layer = *spec.layer;
  const CompiledLayer compiled(spec, "native");
  std::mt19937 random(3);
  Batch batch;
  batch.m = 61;
  batch.p0 = 5;
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit) {
    batch.p0 = 0;
    for (int64_t row = 0; row < batch.m; ++row)
      batch.types.push_back(static_cast<int32_t>(random() % layer.lift.types()));
  }
  const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  for (int in_w : {0, 1, 2}) { // only in X, only in W, in both
    SCOPED_TRACE(in_w == 0 ? "in rows" : in_w == 1 ? "in w" : "in both");
    PaddedMatrix x(batch.m, k, 3, layer.dtype), dy(batch.m, n, 3, layer.dtype), w(k, columns, 5, layer.dtype);
    x.fill(random);
    dy.fill(random);
    w.fill(random);
    const double plants[] = {nan, infinity, -infinity};
    // Rare enough that most elements of the result stay finite.
    if (in_w != 1)
      for (int64_t i = 0; i < batch.m / 3; ++i) {
        x.set(random() % batch.m, random() % k, plants[random() % 3]);
        dy.set(random() % batch.m, random() % n, plants[random() % 3]);
      }
    if (in_w != 0)
      for (int64_t i = 0; i < 1 + columns / 8; ++i)
        w.set(random() % k, random() % columns, plants[random() % 3]);
    const DenseProduct dense(layer, w.values());
    const std::vector<double> expected = dense.multiply(batch, x.values());
    for (int kernel = 0; kernel < static_cast<int>(compiled.kernels().size()); ++kernel) {
      PaddedMatrix y(batch.m, n, 2, layer.dtype);
      compiled.multiply(batch, x, w, y, kernel, 2);
      expectKinds(y, expected, n, compiled.kernels()[static_cast<size_t>(kernel)]);
    }
    PaddedMatrix dx(batch.m, k, 2, layer.dtype);
    compiled.differentiate(batch, dy, w, dx, 2);
    expectKinds(dx, dense.multiplyTransposed(batch, dy.values()), k, "dx");
    if (in_w == 1) // the gradient of the weight matrix does not read the weight matrix
      continue;
    PaddedMatrix dw(k, columns, 2, layer.dtype);
    compiled.differentiateWeights(batch, x, dy, dw, 0, 2);
    expectKinds(dw, weightGradient(layer, batch, x.values(), dy.values()), columns, "dw");
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, Nonfinite,
                         testing::Values("CompleteOddHalf", "CompleteUnequal", "CompleteUnequalHalf",
                                         "TriangularHalf", "GraphSlots", "Quaternions", "QuaternionsHalf",
                                         "CliffordRationalHalf", "Lawless"),
                         [](const testing::TestParamInfo<std::string> &info) { return info.param; });

// By hand, without any reference: Q(3), types 0, 1, 2 in three rows, group widths 5 and 7.
TEST(Nonfinite, NeighboursStayClean) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  for (algebras::DataType dtype : {algebras::DataType::F32, algebras::DataType::BF16}) {
    const algebras::Algebra algebra = algebras::completeGraph(3);
    const Layer layer{algebras::Lift::rows(algebra), algebras::Groups::equal(3, 5),
                      algebras::Groups::equal(3, 7), dtype, algebras::RowTypes::cyclic(3)};
    const CompiledLayer compiled({algebra, layer, false, "Q(3)"}, "native");
    std::mt19937 random(1);
    for (int kernel = 0; kernel < 3; ++kernel) {
      Batch batch;
      batch.m = 3;
      PaddedMatrix x(3, 15, 1, dtype), w(15, 21, 1, dtype), y(3, 21, 1, dtype);
      x.fill(random);
      w.fill(random);
      w.set(0 * 5 + 4, 1 * 7 + 6, nan);      // block (0,1): type 0 alone reads it, for group 1
      w.set(2 * 5 + 0, 2 * 7 + 0, infinity); // block (2,2): all types read it for group 2
      x.set(1, 0 * 5 + 4, nan);              // type 1 reads group 0 only for output group 0
      compiled.multiply(batch, x, w, y, kernel, 1);
      const std::vector<double> values = y.values();
      for (int64_t row = 0; row < 3; ++row)
        for (int64_t column = 0; column < 21; ++column) {
          const double value = values[static_cast<size_t>(row * 21 + column)];
          const bool is_nan = (row == 0 && column == 13) || (row == 1 && column < 7);
          EXPECT_EQ(std::isnan(value), is_nan) << "row " << row << ", column " << column;
          EXPECT_EQ(std::isinf(value), column == 14) << "row " << row << ", column " << column;
        }
    }
  }
}

// The last row of a type has no partner where its type has an odd number of them. Nothing may take the
// partner's place: zero in one operand alone is NaN beside infinity in the other. The batch before leaves NaN
// where the partner would be.
TEST(Nonfinite, RowsWithoutAPartner) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  for (const char *name : {"CompleteEvenHalf", "QuaternionsHalf"}) {
    const compiler::Spec spec = makeSpec(layerCase(name));
    const Layer &layer = *spec.layer;
    const CompiledLayer compiled(spec, "native");
    const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer),
                  types = layer.lift.types();
    std::mt19937 random(11);
    for (int64_t rows : {1, 3, 65})
      for (bool in_dy : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << ", " << rows << " rows, " << (in_dy ? "dy" : "x"));
        Batch before{(rows + 1) * types, 0, {}}, batch{rows * types, 0, {}};
        PaddedMatrix dw(k, columns, 2, layer.dtype);
        PaddedMatrix old_x(before.m, k, 0, layer.dtype), old_dy(before.m, n, 0, layer.dtype);
        for (int64_t row = 0; row < before.m; ++row) {
          for (int64_t column = 0; column < k; ++column)
            old_x.set(row, column, nan);
          for (int64_t column = 0; column < n; ++column)
            old_dy.set(row, column, nan);
        }
        compiled.differentiateWeights(before, old_x, old_dy, dw, 0, 1);
        PaddedMatrix x(batch.m, k, 0, layer.dtype), dy(batch.m, n, 0, layer.dtype);
        x.fill(random);
        dy.fill(random);
        // Of one feature or column of the last row alone.
        PaddedMatrix &planted = in_dy ? dy : x;
        planted.set(batch.m - 1, 1, infinity);
        compiled.differentiateWeights(batch, x, dy, dw, 0, 1);
        expectKinds(dw, weightGradient(layer, batch, x.values(), dy.values()), columns, "dw");
      }
  }
}

} // namespace
