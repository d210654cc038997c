// What must hold between the three maps, whatever a reference says: adjointness, differences of the product,
// linearity, batches in parts, and the law of the algebra.
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Layer;

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double norm(const std::vector<double> &a) { return std::sqrt(dot(a, a)); }

class Gradients : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (levelsHere().empty())
      GTEST_SKIP() << "this machine is below x86-64-v3";
  }
  Batch batchOf(int64_t m) {
    Batch batch;
    batch.m = m;
    if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
      for (int64_t row = 0; row < m; ++row)
        batch.types.push_back(static_cast<int32_t>(random() % layer.lift.types()));
    else
      batch.p0 = static_cast<int64_t>(random() % 100);
    return batch;
  }

  const compiler::Spec spec = makeSpec(layerCase(GetParam()));
  const Layer &layer = *spec.layer;
  const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  std::mt19937 random{17};
};

// <Y, dY> = <X, dX> = <W, dW>.
TEST_P(Gradients, AreAdjoint) {
  const CompiledLayer compiled(spec, "native");
  const Batch batch = batchOf(83);
  PaddedMatrix x(batch.m, k, 0, layer.dtype), w(k, columns, 0, layer.dtype), dy(batch.m, n, 0, layer.dtype);
  PaddedMatrix y(batch.m, n, 0, layer.dtype), dx(batch.m, k, 0, layer.dtype),
      dw(k, columns, 0, DataType::F32);
  x.fill(random);
  w.fill(random);
  dy.fill(random);
  compiled.multiply(batch, x, w, y, -1, 2);
  compiled.differentiate(batch, dy, w, dx, 2);
  compiled.differentiateWeights(batch, x, dy, dw, 0, 2);
  const double forward = dot(y.values(), dy.values());
  // Each side is off by the rounding of one matrix, at most.
  const double rounding = layer.dtype == DataType::F32 ? 1e-6 : 4e-3;
  EXPECT_NEAR(dot(dx.values(), x.values()), forward,
              rounding * (norm(dx.values()) * norm(x.values()) + norm(y.values()) * norm(dy.values())));
  EXPECT_NEAR(dot(dw.values(), w.values()), forward,
              rounding * (norm(dw.values()) * norm(w.values()) + norm(y.values()) * norm(dy.values())));
}

// The product is linear in W and in X, so that a difference quotient in double has no error but rounding.
TEST_P(Gradients, AreDifferencesOfTheProduct) {
  const CompiledLayer compiled(spec, "native");
  const Batch batch = batchOf(29);
  PaddedMatrix x(batch.m, k, 0, layer.dtype), w(k, columns, 0, layer.dtype), dy(batch.m, n, 0, layer.dtype);
  PaddedMatrix dx(batch.m, k, 0, layer.dtype), dw(k, columns, 0, DataType::F32);
  x.fill(random);
  w.fill(random);
  dy.fill(random);
  compiled.differentiate(batch, dy, w, dx, 2);
  compiled.differentiateWeights(batch, x, dy, dw, 0, 2);
  const std::vector<double> xs = x.values(), ws = w.values(), dys = dy.values();
  auto loss = [&](const std::vector<double> &at_x, const std::vector<double> &at_w) {
    return dot(DenseProduct(layer, at_w).multiply(batch, at_x), dys);
  };
  constexpr double step = 0.5;
  auto expect_differences = [&](const std::vector<double> &gradient, const std::vector<double> &at,
                                double rounding, auto loss_at) {
    const double scale =
        std::abs(*std::ranges::max_element(gradient, {}, [](double value) { return std::abs(value); }));
    for (int sample = 0; sample < 12; ++sample) {
      const size_t i = random() % at.size();
      std::vector<double> above = at, below = at;
      above[i] += step;
      below[i] -= step;
      EXPECT_NEAR(gradient[i], (loss_at(above) - loss_at(below)) / (2 * step), rounding * scale) << i;
    }
  };
  expect_differences(dw.values(), ws, 1e-5, [&](const std::vector<double> &at) { return loss(xs, at); });
  expect_differences(dx.values(), xs, layer.dtype == DataType::F32 ? 1e-5 : 4e-3,
                     [&](const std::vector<double> &at) { return loss(at, ws); });
}

// A batch in two parts, the second added to the first: offsets and beta are what ragged batches need.
TEST_P(Gradients, OfABatchAreSumsOverItsParts) {
  const CompiledLayer compiled(spec, "native");
  const Batch whole = batchOf(97);
  PaddedMatrix x(whole.m, k, 0, layer.dtype), dy(whole.m, n, 0, layer.dtype),
      dw(k, columns, 0, DataType::F32);
  x.fill(random);
  dy.fill(random);
  compiled.differentiateWeights(whole, x, dy, dw, 0, 1);
  const std::vector<double> xs = x.values(), dys = dy.values();
  PaddedMatrix sum(k, columns, 0, DataType::F32);
  const int64_t cuts[] = {0, 1, 1, 40, 97};
  for (int part = 0; part < 4; ++part) { // one of a single row, one of none
    const int64_t from = cuts[part], rows = cuts[part + 1] - from;
    Batch some{rows, whole.types.empty() ? whole.p0 + from : 0, {}};
    if (!whole.types.empty())
      some.types.assign(whole.types.begin() + from, whole.types.begin() + from + rows);
    PaddedMatrix x_part(rows, k, 0, layer.dtype), dy_part(rows, n, 0, layer.dtype);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < k; ++column)
        x_part.set(row, column, xs[static_cast<size_t>((from + row) * k + column)]);
      for (int64_t column = 0; column < n; ++column)
        dy_part.set(row, column, dys[static_cast<size_t>((from + row) * n + column)]);
    }
    compiled.differentiateWeights(some, x_part, dy_part, sum, part == 0 ? 0 : 1, 2);
  }
  std::vector<double> difference = sum.values();
  const std::vector<double> expected = dw.values();
  for (size_t i = 0; i < difference.size(); ++i)
    difference[i] -= expected[i];
  EXPECT_LE(norm(difference), 1e-5 * norm(expected));
}

INSTANTIATE_TEST_SUITE_P(Layers, Gradients,
                         testing::Values("CompleteOne", "CompleteUnequal", "CompleteUnequalHalf",
                                         "TriangularHalf", "GraphSlots", "Quaternions", "QuaternionsHalf",
                                         "CliffordRationalHalf", "Lawless"),
                         [](const testing::TestParamInfo<std::string> &info) { return info.param; });

} // namespace
