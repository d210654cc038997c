// The reference against literal loops that know nothing of groups, terms or manifests.
#include "runtime/reference/reference.h"

#include "runtime/bundle/bundle.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/random.h"
#include "runtime/support/error.h"
#include "tests/runtime/shapes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace algrt {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Layer completeLayer(std::vector<int64_t> in_groups, std::vector<int64_t> out_groups, RowTypesKind kind,
                    int64_t width) {
  Layer layer{};
  layer.lift = Lift::Rows;
  layer.types = int64_t(in_groups.size());
  for (int64_t width_of_group : in_groups)
    layer.k += width_of_group;
  for (int64_t width_of_group : out_groups)
    layer.n += width_of_group;
  layer.row_types = kind;
  layer.row_type_width = width;
  layer.weight_rows = in_groups;
  layer.in_groups = std::move(in_groups);
  layer.out_groups = std::move(out_groups);
  return layer;
}

// Group of every column.
std::vector<int64_t> groupOfColumn(const std::vector<int64_t> &widths) {
  std::vector<int64_t> groups;
  for (size_t g = 0; g < widths.size(); ++g)
    groups.insert(groups.end(), size_t(widths[g]), int64_t(g));
  return groups;
}

TEST(Reference, CompleteGraphIsADenseProductWithAMaskPerType) {
  const Layer layer = completeLayer({5, 1, 3}, {2, 7, 4}, RowTypesKind::Interval, 2);
  const Support support = Support::complete(3);
  const int64_t m = 17, p0 = 5, x_stride = 11, w_stride = 14;
  const std::vector<float> x = randomValues(m * x_stride, 1, 1), w = randomValues(layer.k * w_stride, 1, 2);
  const std::vector<double> y =
      referenceForward({&layer, &support, m, x.data(), x_stride, w.data(), w_stride, p0}, 2);
  const std::vector<int64_t> in = groupOfColumn(layer.in_groups), out = groupOfColumn(layer.out_groups);
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < layer.n; ++c) {
      const int64_t type = (p0 + r) / 2 % 3;
      double sum = 0;
      for (int64_t d = 0; d < layer.k; ++d)
        if (in[size_t(d)] == out[size_t(c)] || in[size_t(d)] == type)
          sum += double(x[size_t(r * x_stride + d)]) * double(w[size_t(d * w_stride + c)]);
      ASSERT_NEAR(y[size_t(r * layer.n + c)], sum, 1e-13) << r << " " << c;
    }
}

TEST(Reference, SlotsMultiplyAsQuaternions) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("slots_f32")));
  const int64_t m = 6, block_in = 3, block_out = 5;
  const std::vector<float> x = randomValues(m * 12, 1, 3), w = randomValues(12 * 5, 1, 4);
  const std::vector<double> y =
      referenceForward({&bundle.layer(), &bundle.support(), m, x.data(), 12, w.data(), 5});
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < block_out; ++c) {
      double a = 0, i = 0, j = 0, k = 0;
      for (int64_t d = 0; d < block_in; ++d) {
        const auto xs = [&](int64_t slot) { return double(x[size_t(r * 12 + slot * block_in + d)]); };
        const auto ws = [&](int64_t slot) {
          return double(w[size_t((slot * block_in + d) * block_out + c)]);
        };
        // Hamilton's product, written out.
        a += xs(0) * ws(0) - xs(1) * ws(1) - xs(2) * ws(2) - xs(3) * ws(3);
        i += xs(0) * ws(1) + xs(1) * ws(0) + xs(2) * ws(3) - xs(3) * ws(2);
        j += xs(0) * ws(2) - xs(1) * ws(3) + xs(2) * ws(0) + xs(3) * ws(1);
        k += xs(0) * ws(3) + xs(1) * ws(2) - xs(2) * ws(1) + xs(3) * ws(0);
      }
      const double expected[] = {a, i, j, k};
      for (int64_t slot = 0; slot < 4; ++slot)
        ASSERT_NEAR(y[size_t(r * 20 + slot * block_out + c)], expected[slot], 1e-13);
    }
}

TEST(Reference, ABiasIsAddedToEveryRow) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("interval_f32")));
  const Layer &layer = bundle.layer();
  const int64_t m = 9, columns = layer.weightColumns();
  const std::vector<float> x = randomValues(m * layer.k, 1, 3), w = randomValues(layer.k * columns, 1, 5);
  const std::vector<float> bias = randomValues(layer.n, 1, 6);
  ForwardProblem problem{&layer, &bundle.support(), m, x.data(), layer.k, w.data(), columns};
  const std::vector<double> without = referenceForward(problem);
  problem.bias = bias.data();
  const std::vector<int64_t> rows = {7, 0};
  const std::vector<double> some = referenceForward(problem, rows);
  for (size_t i = 0; i < rows.size(); ++i)
    for (int64_t column = 0; column < layer.n; ++column)
      EXPECT_EQ(some[i * size_t(layer.n) + size_t(column)],
                without[size_t(rows[i] * layer.n + column)] + double(bias[size_t(column)]));
}

// <dw, w> = <y, dy> for any w, and sampled rows are those of the whole.
TEST(Reference, TheWeightsGradientIsAdjointToTheProduct) {
  for (const char *name : {"cyclic_f32", "interval_f32", "slots_f32"}) {
    SCOPED_TRACE(name);
    const Bundle bundle = Bundle::parse(test::bundleOf(test::shape(name)));
    const Layer &layer = bundle.layer();
    const int64_t m = 17, columns = layer.weightColumns();
    const std::vector<float> x = randomValues(m * layer.k, 1, 3), dy = randomValues(m * layer.n, 1, 4);
    const std::vector<float> w = randomValues(layer.k * columns, 1, 5);
    const std::vector<double> y =
        referenceForward({&layer, &bundle.support(), m, x.data(), layer.k, w.data(), columns, 11});
    const DwProblem problem{&layer, &bundle.support(), m, x.data(), layer.k, dy.data(), layer.n, 11};
    const std::vector<double> dw = referenceDw(problem);
    double forward = 0, backward = 0;
    for (size_t i = 0; i < y.size(); ++i)
      forward += y[i] * dy[i];
    for (size_t i = 0; i < dw.size(); ++i)
      backward += dw[i] * w[i];
    EXPECT_NEAR(forward, backward, 1e-12 * m * double(layer.k));
    const std::vector<int64_t> rows = {layer.k - 1, 0};
    const std::vector<double> some = referenceDw(problem, rows);
    for (size_t i = 0; i < rows.size(); ++i)
      for (int64_t c = 0; c < columns; ++c)
        EXPECT_EQ(some[i * size_t(columns) + size_t(c)], dw[size_t(rows[i] * columns + c)]);
    EXPECT_THROW(referenceDw(problem, std::vector<int64_t>{layer.k}), Error);
  }
}

TEST(Reference, SampledRowsAreThoseOfTheWhole) {
  const Layer layer = completeLayer({4, 4}, {3, 3}, RowTypesKind::ExplicitTypes, 0);
  const Support support = Support::complete(2);
  const std::vector<float> x = randomValues(10 * 8, 1, 5), w = randomValues(8 * 6, 1, 6);
  const std::vector<int32_t> types = {1, 1, 0, 1, 0, 0, 1, 0, 1, 1};
  const ForwardProblem problem{&layer, &support, 10, x.data(), 8, w.data(), 6, 0, types.data()};
  const std::vector<double> whole = referenceForward(problem);
  const std::vector<int64_t> rows = {9, 0, 4};
  const std::vector<double> some = referenceForward(problem, rows);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t c = 0; c < 6; ++c)
      EXPECT_EQ(some[i * 6 + c], whole[size_t(rows[i]) * 6 + c]);
  EXPECT_THROW(referenceForward(problem, std::vector<int64_t>{10}), Error);
  const std::vector<int32_t> wrong(10, 2);
  EXPECT_THROW(referenceForward({&layer, &support, 10, x.data(), 8, w.data(), 6, 0, wrong.data()}), Error);
}

TEST(Reference, NanReachesOnlyTheGroupsThatReadIt) {
  const Layer layer = completeLayer({2, 2, 2}, {1, 1, 1}, RowTypesKind::Cyclic, 1);
  const Support support = Support::complete(3);
  std::vector<float> x(3 * 6, 1), w(6 * 3, 0);
  for (size_t r = 0; r < 3; ++r)
    x[r * 6 + 2] = not_a_number; // group 1; the weight matrix is zero, and zero times NaN is NaN
  const std::vector<double> y = referenceForward({&layer, &support, 3, x.data(), 6, w.data(), 3});
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t j = 0; j < 3; ++j)
      EXPECT_EQ(std::isnan(y[size_t(r * 3 + j)]), r == 1 || j == 1) << r << " " << j;
}

TEST(Compare, MeasuresAndTellsKindsApart) {
  const std::vector<double> expected = {3, -4, 0};
  EXPECT_EQ(compare(std::vector<float>{3, -4, 0}, expected).relative_l2, 0);
  const Comparison off = compare(std::vector<float>{3, -4.5f, 0}, expected);
  EXPECT_DOUBLE_EQ(off.relative_l2, 0.1);
  EXPECT_DOUBLE_EQ(off.max_relative, 0.125);
  EXPECT_TRUE(off.within(0.11));
  EXPECT_FALSE(off.within(0.09));
  const std::vector<double> special = {NAN, INFINITY, -INFINITY, 1e300, 1};
  EXPECT_EQ(
      compare(std::vector<float>{not_a_number, infinity, -infinity, infinity, 1}, special).kind_mismatches,
      0);
  const Comparison kinds =
      compare(std::vector<float>{not_a_number, -infinity, -infinity, 1, not_a_number}, special);
  EXPECT_EQ(kinds.kind_mismatches, 3);
  EXPECT_EQ(kinds.first_mismatch, 1);
  EXPECT_FALSE(kinds.within(1e9));
}

TEST(Bfloat16, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float exact = fromBfloat16(uint16_t(bits));
    if (std::isnan(exact)) {
      EXPECT_TRUE(std::isnan(roundToBfloat16(exact)));
      continue;
    }
    ASSERT_EQ(toBfloat16(exact), bits);
    const float next = fromBfloat16(uint16_t(bits + 1));
    if (!std::isfinite(exact) || !std::isfinite(next) || std::signbit(exact) != std::signbit(next))
      continue;
    const float middle = float((double(exact) + double(next)) / 2);
    ASSERT_EQ(toBfloat16(middle), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(toBfloat16(std::nextafterf(middle, exact)), bits);
    ASSERT_EQ(toBfloat16(std::nextafterf(middle, next)), bits + 1);
  }
  EXPECT_TRUE(std::isnan(fromBfloat16(toBfloat16(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_EQ(fromBfloat16(toBfloat16(std::numeric_limits<float>::max())), infinity);
}

TEST(Random, IsSeededAndScaled) {
  const std::vector<float> values = randomValues(100000, 0.5, 7);
  EXPECT_EQ(values, randomValues(100000, 0.5, 7));
  EXPECT_NE(values, randomValues(100000, 0.5, 8));
  double sum = 0, squares = 0;
  for (float value : values) {
    sum += value;
    squares += double(value) * value;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 0.5, 0.01);
}

} // namespace
} // namespace algrt
