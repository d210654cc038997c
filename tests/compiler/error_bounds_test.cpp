// Every element of every map within the bound of docs/compiler.md, "What rounding may do": not a relative
// error of the whole, in which one wrong element of thousands disappears.
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Layer;

// How often a row of the batch counts for one element of the weight matrix, at most: in the slot lift once
// for each term with its block.
int64_t mostUses(const Layer &layer) {
  int64_t most = 0;
  for (int64_t type = 0; type < layer.lift.types(); ++type) {
    std::vector<int64_t> uses(static_cast<size_t>(layer.lift.weightRows() * layer.out.count()));
    for (int64_t group = 0; group < layer.out.count(); ++group)
      for (const algebras::BlockTerm &term : layer.lift.terms(type, group)) {
        const int64_t column = layer.lift.kind() == algebras::Lift::Kind::Slots ? 0 : group;
        most = std::max(most, ++uses[static_cast<size_t>(term.weight_row * layer.out.count() + column)]);
      }
  }
  return most;
}

// |actual - expected| <= gamma(T + 3) S + u (|expected| + gamma(T + 3) S), where S adds up the absolute
// terms.
void expectWithin(const std::vector<double> &actual, const std::vector<double> &expected,
                  const std::vector<double> &absolute, int64_t terms, DataType stored) {
  constexpr double half = 0x1p-8; // the unit roundoff of bf16: half an ulp of 1
  const double gamma = gammaOf(terms + 3);
  const double store = stored == DataType::BF16 ? half : 0;
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double sum = gamma * absolute[i], bound = sum + store * (std::abs(expected[i]) + sum),
                 error = std::abs(actual[i] - expected[i]);
    const double ratio = error == 0 ? 0 : error / bound;
    if (!(ratio <= worst)) {
      worst = ratio;
      at = i;
    }
  }
  EXPECT_LE(worst, 1) << "element " << at << " is " << actual[at] << ", not " << expected[at];
}

class ErrorBounds : public testing::TestWithParam<LayerCase> {};

TEST_P(ErrorBounds, HoldForEveryElementOfEveryMap) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const compiler::Spec spec = makeSpec(GetParam());
  const Layer &layer = *spec.layer;
  const int64_t m = 61, k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  std::mt19937 random(3);
  Batch batch{m, 7, {}};
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit) {
    batch.p0 = 0;
    for (int64_t row = 0; row < m; ++row)
      batch.types.push_back(static_cast<int32_t>(random() % layer.lift.types()));
  }
  PaddedMatrix x(m, k, 0, layer.dtype), w(k, columns, 0, layer.dtype), dy(m, n, 0, layer.dtype);
  x.fill(random);
  w.fill(random);
  dy.fill(random);
  const std::vector<double> xs = x.values(), ws = w.values(), dys = dy.values();
  const DenseProduct product(layer, ws), absolute(layer, magnitudes(ws), Terms::Absolute);
  for (const char *level :
       {"x86-64-v3", "native"}) { // single products, and pairs where there are instructions for them
    SCOPED_TRACE(level);
    const CompiledLayer compiled(spec, level);
    for (int kernel = 0; kernel < static_cast<int>(compiled.kernels().size()); ++kernel) {
      SCOPED_TRACE(compiled.kernels()[static_cast<size_t>(kernel)]);
      PaddedMatrix y(m, n, 0, layer.dtype);
      compiled.multiply(batch, x, w, y, kernel, 2);
      expectWithin(y.values(), product.multiply(batch, xs), absolute.multiply(batch, magnitudes(xs)),
                   mostTerms(layer), layer.dtype);
    }
    PaddedMatrix dx(m, k, 0, layer.dtype);
    compiled.differentiate(batch, dy, w, dx, 2);
    expectWithin(dx.values(), product.multiplyTransposed(batch, dys),
                 absolute.multiplyTransposed(batch, magnitudes(dys)), mostTerms(layer.transposed()),
                 layer.dtype);
    for (DataType stored : {DataType::F32, layer.dtype}) {
      PaddedMatrix dw(k, columns, 0, stored);
      compiled.differentiateWeights(batch, x, dy, dw, 0, 2);
      expectWithin(dw.values(), weightGradient(layer, batch, xs, dys),
                   weightGradient(layer, batch, xs, dys, Terms::Absolute), m * mostUses(layer), stored);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, ErrorBounds, testing::ValuesIn(layerCases()),
                         [](const testing::TestParamInfo<LayerCase> &info) { return info.param.name; });

} // namespace
