// The sampled check against the blocked reference, and against results with one fault each.
#include "runtime/reference/sampled_check.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/dense_check.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/gpu_bench/layers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace algrt {
namespace {

struct Case {
  Case(const nlohmann::ordered_json &manifest, int64_t rows, int64_t p0 = 0)
      : bundle(Bundle::parse(test::gpuBundle(manifest))), m(rows), x(size_t(m * bundle.layer().k)),
        w(size_t(bundle.layer().k * bundle.layer().weightColumns())) {
    fillRandomBfloat16(x, 1, 7);
    fillRandomBfloat16(w, 0.1, 8);
    std::vector<float> wide_x, wide_w;
    std::transform(x.begin(), x.end(), std::back_inserter(wide_x), fromBfloat16);
    std::transform(w.begin(), w.end(), std::back_inserter(wide_w), fromBfloat16);
    const Layer &layer = bundle.layer();
    expected = referenceForward({&layer, &bundle.support(), m, wide_x.data(), layer.k, wide_w.data(),
                                 layer.weightColumns(), p0, nullptr});
    for (double value : expected) {
      narrow.push_back(toBfloat16(float(value)));
      wide.push_back(float(value));
    }
    options.p0 = p0;
  }

  SampledCheck check() const { return SampledCheck(bundle, m, x.data(), w.data(), options); }

  Bundle bundle;
  int64_t m;
  std::vector<uint16_t> x, w, narrow;
  std::vector<float> wide;
  std::vector<double> expected;
  SampledCheckOptions options;
};

nlohmann::ordered_json cyclic() { return test::gpuManifest(8, 16, 24, 1); }

TEST(SampledCheck, SmallResultsAreCheckedWhole) {
  const Case rounded(cyclic(), 37);
  const SampledCheck check = rounded.check();
  EXPECT_TRUE(check.whole());
  EXPECT_EQ(check.samples(), 37 * 8 * 24);
  EXPECT_EQ(check.diagonalSamples(), 37 * 24);
  const CheckOutcome bf16 = check.compare(rounded.narrow.data(), ElementType::Bf16);
  EXPECT_TRUE(bf16.right()) << bf16.failure;
  EXPECT_GT(bf16.relative_l2, 1e-4); // the rounding is seen
  EXPECT_LT(bf16.relative_l2, 3e-3);
  const CheckOutcome f32 = check.compare(rounded.wide.data(), ElementType::F32);
  EXPECT_TRUE(f32.right()) << f32.failure;
  EXPECT_LT(f32.relative_l2, 1e-7);
}

TEST(SampledCheck, AgreesWithTheReferenceForOffsetsIntervalsAndSlots) {
  for (const Case &each : {Case(cyclic(), 37, 5), Case(test::gpuManifest(4, 8, 16, 3), 29, 8),
                           Case(test::gpuSlotManifest(), 9)}) {
    const CheckOutcome outcome = each.check().compare(each.wide.data(), ElementType::F32);
    EXPECT_TRUE(outcome.right()) << outcome.failure;
    EXPECT_EQ(outcome.samples, each.m * each.bundle.layer().n);
  }
  // The position matters.
  Case shifted(cyclic(), 37, 5);
  shifted.options.p0 = 4;
  EXPECT_FALSE(shifted.check().compare(shifted.wide.data(), ElementType::F32).right());
}

TEST(SampledCheck, OneWrongElementOfAWholeResultIsFound) {
  for (size_t at : {size_t(0), size_t(1000), size_t(37 * 192 - 1)}) {
    Case one(cyclic(), 37);
    one.narrow[at] = toBfloat16(fromBfloat16(one.narrow[at]) + 0.25f);
    const CheckOutcome outcome = one.check().compare(one.narrow.data(), ElementType::Bf16);
    EXPECT_EQ(outcome.wrong, 1);
    EXPECT_NE(
        outcome.failure.find("row " + std::to_string(at / 192) + ", column " + std::to_string(at % 192)),
        std::string::npos)
        << outcome.failure;
  }
}

TEST(SampledCheck, OneUnwrittenElementIsFoundEvenWhereNoSampleIs) {
  Case sampled(cyclic(), 300);
  sampled.options.whole_macs = 0;
  for (size_t at : {size_t(1), size_t(300 * 192 - 2), size_t(12345)}) {
    std::vector<uint16_t> narrow = sampled.narrow;
    narrow[at] = 0xffff;
    std::vector<float> wide = sampled.wide;
    wide[at] = NAN;
    for (const CheckOutcome &outcome : {sampled.check().compare(narrow.data(), ElementType::Bf16),
                                        sampled.check().compare(wide.data(), ElementType::F32)}) {
      EXPECT_EQ(outcome.unwritten, 1);
      EXPECT_NE(outcome.failure.find("1 of 57600 outputs were not written"), std::string::npos)
          << outcome.failure;
    }
  }
}

TEST(SampledCheck, EveryBlockOfALargeResultIsSampledOverAllItsRows) {
  Case sampled(cyclic(), 2048);
  sampled.options.whole_macs = 0;
  const SampledCheck check = sampled.check();
  EXPECT_FALSE(check.whole());
  EXPECT_GE(check.samples(), 2048);
  EXPECT_LT(check.samples(), 2048 * 192 / 8);
  EXPECT_GT(check.diagonalSamples(), 8 * 4 - 1);
  EXPECT_GT(check.samples() - check.diagonalSamples(), check.samples() / 2);
  EXPECT_TRUE(check.compare(sampled.narrow.data(), ElementType::Bf16).right());
  // Wrong in 64 rows of one type and one group alone.
  for (int64_t type = 0; type < 8; ++type)
    for (int64_t group : {type, (type + 3) % 8})
      for (int64_t first : {int64_t(0), int64_t(192)}) {
        std::vector<uint16_t> narrow = sampled.narrow;
        for (int64_t i = first; i < first + 64; ++i)
          for (int64_t column = 24 * group; column < 24 * (group + 1); ++column) {
            uint16_t &value = narrow[size_t((8 * i + type) * 192 + column)];
            value = toBfloat16(fromBfloat16(value) + 0.5f);
          }
        const CheckOutcome outcome = check.compare(narrow.data(), ElementType::Bf16);
        EXPECT_FALSE(outcome.right()) << "type " << type << ", group " << group << ", rows from " << first;
        const std::string block = "(type " + std::to_string(type) + ", output group " + std::to_string(group);
        EXPECT_NE(outcome.failure.find(block), std::string::npos) << outcome.failure;
        EXPECT_NE(outcome.failure.find(type == group ? "diagonal)" : "off the diagonal)"), std::string::npos);
      }
}

TEST(SampledCheck, FirstAndLastRowAreSampledInEveryGroup) {
  Case sampled(cyclic(), 2048);
  sampled.options.whole_macs = 0;
  sampled.options.sample_macs = 1; // no cell can be afforded
  const SampledCheck check = sampled.check();
  EXPECT_GE(check.samples(), 4096);
  for (int64_t row : {int64_t(0), int64_t(2047)})
    for (int64_t group = 0; group < 8; ++group) {
      std::vector<uint16_t> narrow = sampled.narrow;
      for (int64_t column = 24 * group; column < 24 * (group + 1); ++column)
        narrow[size_t(row * 192 + column)] = toBfloat16(7);
      EXPECT_FALSE(check.compare(narrow.data(), ElementType::Bf16).right()) << row << " " << group;
    }
}

TEST(DenseCheck, TellsTheProductFromItsNeighbours) {
  constexpr int64_t m = 70, k = 33, n = 50;
  std::vector<uint16_t> x(m * k), w(k * n), y(m * n);
  fillRandomBfloat16(x, 1, 1);
  fillRandomBfloat16(w, 1, 2);
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < n; ++c) {
      double sum = 0;
      for (int64_t d = 0; d < k; ++d)
        sum += double(fromBfloat16(x[size_t(r * k + d)])) * fromBfloat16(w[size_t(d * n + c)]);
      y[size_t(r * n + c)] = toBfloat16(float(sum));
    }
  EXPECT_LT(sampledDenseError({m, k, n, x.data(), w.data(), y.data()}, 1), 4e-3);
  std::vector<uint16_t> shifted = y;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  EXPECT_GT(sampledDenseError({m, k, n, x.data(), w.data(), shifted.data()}, 1), 0.5);
  y.back() = 0xffff;
  EXPECT_TRUE(std::isinf(sampledDenseError({m, k, n, x.data(), w.data(), y.data()}, 1)));
}

} // namespace
} // namespace algrt
