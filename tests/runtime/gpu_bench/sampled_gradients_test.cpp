// The sampled check of gradients against the blocked reference, and against results with one fault each.
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/dense_check.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "runtime/reference/sampled_check.h"
#include "tests/runtime/gpu_bench/layers.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace algrt {
namespace {

std::vector<float> widened(const std::vector<uint16_t> &values) {
  std::vector<float> wide(values.size());
  std::transform(values.begin(), values.end(), wide.begin(), fromBfloat16);
  return wide;
}

struct Gradient {
  Gradient(const nlohmann::ordered_json &manifest, Map map, int64_t m, int64_t p0 = 0)
      : bundle(Bundle::parse(test::gpuBundle(manifest))), m(m), dy(size_t(m * bundle.layer().n)) {
    const Layer &layer = bundle.layer();
    const int64_t columns = layer.weightColumns();
    other.resize(size_t(map == Map::Dx ? layer.k * columns : m * layer.k));
    fillRandomBfloat16(dy, 1, 7);
    fillRandomBfloat16(other, 1, 8);
    options.map = map;
    options.p0 = p0;
    const std::vector<float> wide_dy = widened(dy), wide_other = widened(other);
    const std::vector<double> expected = map == Map::Dx
                                             ? referenceDx({&layer, &bundle.support(), m, wide_dy.data(),
                                                            layer.n, wide_other.data(), columns, p0})
                                             : referenceDw({&layer, &bundle.support(), m, wide_other.data(),
                                                            layer.k, wide_dy.data(), layer.n, p0});
    std::transform(expected.begin(), expected.end(), std::back_inserter(result),
                   [](double value) { return toBfloat16(float(value)); });
    width = map == Map::Dx ? layer.k : columns;
  }

  SampledCheck check() const {
    const bool dx = options.map == Map::Dx;
    return {bundle, m, dx ? dy.data() : other.data(), dx ? other.data() : dy.data(), options};
  }

  Bundle bundle;
  int64_t m, width;
  std::vector<uint16_t> dy, other, result; // other: the weight matrix or x
  SampledCheckOptions options;
};

TEST(SampledGradients, AgreeWithTheReferenceForOffsetsIntervalsAndSlots) {
  for (const Map map : {Map::Dx, Map::Dw})
    for (const Gradient &each :
         {Gradient(test::gpuManifest(8, 16, 24, 1), map, 37, 5),
          Gradient(test::gpuManifest(4, 8, 16, 3), map, 29, 8), Gradient(test::gpuSlotManifest(), map, 9)}) {
      const SampledCheck check = each.check();
      EXPECT_TRUE(check.whole());
      EXPECT_EQ(check.samples(), int64_t(each.result.size()));
      const CheckOutcome outcome = check.compare(each.result.data(), ElementType::Bf16);
      EXPECT_TRUE(outcome.right()) << name(map) << ": " << outcome.failure;
    }
  Gradient shifted(test::gpuManifest(8, 16, 24, 1), Map::Dw, 37, 5);
  shifted.options.p0 = 4;
  EXPECT_FALSE(shifted.check().compare(shifted.result.data(), ElementType::Bf16).right());
}

// Every block is sampled where the result is large, and a fault is named by its place.
TEST(SampledGradients, EveryBlockOfALargeResultIsSampled) {
  for (const Map map : {Map::Dx, Map::Dw}) {
    Gradient sampled(test::gpuManifest(8, 64, 72, 1), map, 512);
    sampled.options.whole_macs = 0;
    const SampledCheck check = sampled.check();
    EXPECT_FALSE(check.whole());
    EXPECT_LT(check.samples(), int64_t(sampled.result.size()) / 8);
    const CheckOutcome right = check.compare(sampled.result.data(), ElementType::Bf16);
    EXPECT_TRUE(right.right()) << right.failure;
    // Wrong in one block alone: rows of type 2 (dx), rows of group 2 of the weight matrix (dw), in group 2
    // and 5.
    const int64_t group_width = map == Map::Dx ? 64 : 72;
    for (const int64_t group : {2, 5}) {
      std::vector<uint16_t> wrong = sampled.result;
      for (int64_t i = 0; i < 64; ++i) {
        const int64_t row = map == Map::Dx ? 8 * i + 2 : 2 * 64 + i;
        for (int64_t c = group_width * group; c < group_width * (group + 1); ++c) {
          uint16_t &value = wrong[size_t(row * sampled.width + c)];
          value = toBfloat16(fromBfloat16(value) + 50);
        }
      }
      const CheckOutcome outcome = check.compare(wrong.data(), ElementType::Bf16);
      EXPECT_FALSE(outcome.right());
      const std::string place =
          std::string(map == Map::Dx ? "(type 2, input group " : "(row group 2, output group ") +
          std::to_string(group) + (group == 2 ? ", diagonal)" : ", off the diagonal)");
      EXPECT_NE(outcome.failure.find(place), std::string::npos) << outcome.failure;
    }
    std::vector<uint16_t> unwritten = sampled.result;
    unwritten[12345] = 0xffff;
    EXPECT_NE(check.compare(unwritten.data(), ElementType::Bf16).failure.find("1 of "), std::string::npos);
  }
}

TEST(DenseCheck, TransposedOperands) {
  constexpr int64_t m = 20, k = 33, n = 50;
  std::vector<uint16_t> x(m * k), w(k * n), x_turned(m * k), w_turned(k * n), y(m * n);
  fillRandomBfloat16(x, 1, 1);
  fillRandomBfloat16(w, 1, 2);
  for (int64_t r = 0; r < m; ++r)
    for (int64_t d = 0; d < k; ++d)
      x_turned[size_t(d * m + r)] = x[size_t(r * k + d)];
  for (int64_t d = 0; d < k; ++d)
    for (int64_t c = 0; c < n; ++c)
      w_turned[size_t(c * k + d)] = w[size_t(d * n + c)];
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < n; ++c) {
      double sum = 0;
      for (int64_t d = 0; d < k; ++d)
        sum += double(fromBfloat16(x[size_t(r * k + d)])) * double(fromBfloat16(w[size_t(d * n + c)]));
      y[size_t(r * n + c)] = toBfloat16(float(sum));
    }
  EXPECT_LT(sampledDenseError({m, k, n, x_turned.data(), w.data(), y.data(), true, false}, 1), 4e-3);
  EXPECT_LT(sampledDenseError({m, k, n, x.data(), w_turned.data(), y.data(), false, true}, 1), 4e-3);
  EXPECT_GT(sampledDenseError({m, k, n, x.data(), w_turned.data(), y.data(), false, false}, 1), 0.5);
  EXPECT_GT(sampledDenseError({m, k, n, x_turned.data(), w.data(), y.data(), false, false}, 1), 0.5);
}

} // namespace
} // namespace algrt
