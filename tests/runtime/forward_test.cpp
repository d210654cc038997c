// The product through algrt.h with kernels written by hand, against the double-precision reference.
#include "tests/runtime/cpu_product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace algrt {
namespace {

using test::packWeights;
using test::Shape;
using test::WeightsHandle;
using Product = test::CpuProduct;

class Forward : public testing::TestWithParam<std::string> {
protected:
  const Shape &shape() const { return test::shape(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Forward,
                         testing::Values("cyclic_f32", "cyclic_bf16", "interval_f32", "explicit_f32",
                                         "slots_f32"),
                         [](const auto &info) { return info.param; });

TEST_P(Forward, AgreesWithTheReference) {
  for (int64_t m : {1, 2, 3, 7, 16, 41})
    for (int64_t padding : {0, 5})
      for (int32_t threads : {0, 1, 2, 64}) {
        Product product(shape(), m, padding);
        product.args.threads = threads;
        product.args.p0 = shape().period == 0 ? 0 : 11 * m;
        const std::string what = std::to_string(m) + " rows, " + std::to_string(threads) + " threads";
        product.expectCorrect(what);
        // The packed kernel sees the same numbers in another order, and must give the same.
        const WeightsHandle weights = packWeights(product.bundle, product.w.tensor);
        const std::vector<float> unpacked = product.y.values();
        product.y.fill(9, 1);
        product.args.w = nullptr;
        product.args.weights = weights.get();
        product.expectCorrect(what + ", packed");
        EXPECT_EQ(product.y.values(), unpacked);
      }
}

TEST_P(Forward, PositionsAndSequencesAgreeWithTheReference) {
  if (shape().period == 0)
    GTEST_SKIP() << "explicit types do not depend on positions";
  std::mt19937_64 random(1);
  const auto up_to = [&](int64_t most) { return int64_t(random() % uint64_t(most + 1)); };
  for (int64_t m : {0, 1, 2, 17, 41})
    for (const bool int64 : {false, true})
      for (int32_t threads : {0, 1, 3}) {
        std::vector<int64_t> positions, lengths, firsts;
        for (int64_t row = 0; row < m; ++row)
          positions.push_back(up_to(int64 ? INT64_MAX - 1 : INT32_MAX - 1));
        for (int64_t left = m; left > 0; left -= lengths.back())
          lengths.push_back(up_to(3) == 0 ? 0 : 1 + up_to(left - 1));
        for (size_t s = 0; s < lengths.size(); ++s)
          firsts.push_back(up_to(1000));
        const std::string what = std::to_string(m) + " rows, " + std::to_string(threads) + " threads";
        for (int kind = 0; kind < 4; ++kind) {
          Product product(shape(), m);
          product.args.threads = threads;
          if (kind == 0)
            product.setPositions(positions, int64);
          else if (kind == 1)
            product.setPositions(std::vector<int64_t>(size_t(m), 7), int64); // all rows of one type
          else
            product.setSequences(lengths, kind == 2 ? firsts : std::vector<int64_t>(), int64);
          product.expectCorrect(what + ", kind " + std::to_string(kind));
          if (m == 0)
            continue;
          const WeightsHandle weights = packWeights(product.bundle, product.w.tensor);
          product.args.w = nullptr;
          product.args.weights = weights.get();
          product.y.fill(9, 1);
          product.expectCorrect(what + ", packed, kind " + std::to_string(kind));
        }
      }
}

// Of one row each, of whole periods and not, of all rows; in a batch without rows, too.
TEST_P(Forward, EqualSequencesAgreeWithTheReference) {
  if (shape().period == 0)
    GTEST_SKIP() << "explicit types do not depend on positions";
  for (const int64_t m : {0, 24, 60})
    for (const int64_t rows : {1, 2, 4, 12, 24, 60})
      for (const int64_t p0 : {int64_t(0), int64_t(7), (int64_t(1) << 40) + 5}) {
        if (m % rows != 0)
          continue;
        Product product(shape(), m);
        product.setEqualSequences(rows, p0);
        product.expectCorrect(std::to_string(m) + " rows, sequences of " + std::to_string(rows) + " from " +
                              std::to_string(p0));
      }
}

// Positions one after another are what p0 says, to the bit.
TEST_P(Forward, PositionsThatFollowOneAnotherAreAnOffset) {
  if (shape().period == 0)
    GTEST_SKIP() << "explicit types do not depend on positions";
  Product product(shape(), 23);
  product.args.p0 = 19;
  product.expectCorrect("offset");
  const std::vector<float> expected = product.y.values();
  std::vector<int64_t> positions(23);
  std::iota(positions.begin(), positions.end(), 19);
  product.args.p0 = 0;
  product.setPositions(positions, false);
  product.y.fill(9, 1);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(product.y.values(), expected);
  product.args.positions = nullptr;
  product.setSequences({0, 23}, {4, 19}, true);
  product.y.fill(9, 1);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(product.y.values(), expected);
}

TEST_P(Forward, TheLastRowMayBeAtTheLargestPosition) {
  if (shape().period == 0)
    GTEST_SKIP() << "explicit types do not depend on positions";
  for (int64_t m : {1, 23}) {
    Product product(shape(), m);
    product.args.p0 = INT64_MAX - (m - 1);
    product.expectCorrect(std::to_string(m) + " rows");
    const WeightsHandle weights = packWeights(product.bundle, product.w.tensor);
    product.args.w = nullptr;
    product.args.weights = weights.get();
    product.expectCorrect(std::to_string(m) + " rows, packed");
    if (m == 1)
      continue;
    ++product.args.p0;
    EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(algrt_last_error()).find("does not fit 64 bits"), std::string::npos);
  }
}

TEST_P(Forward, KernelsCanBeChosen) {
  Product product(shape(), 10);
  for (int32_t kernel : {2, 3}) { // copied and direct
    product.args.kernel = kernel;
    product.y.fill(uint64_t(kernel), 1);
    product.expectCorrect("kernel " + std::to_string(kernel));
  }
  product.args.kernel = 1;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT) << "the packed kernel was given the user's weight matrix";
  product.args.kernel = 4;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
}

TEST_P(Forward, WorkspaceOfTheAskedSizeIsEnough) {
  for (int64_t m : {1, 30})
    for (int32_t threads : {0, 1, 2}) {
      Product product(shape(), m);
      size_t size = 0;
      ASSERT_EQ(algrt_workspace_size(product.bundle.get(), m, threads, &size), ALGRT_OK);
      // Unaligned, and filled with what a kernel must not rely on.
      std::vector<unsigned char> memory(size + 64 + 16, 0xff);
      product.args.workspace = memory.data() + 3;
      product.args.workspace_bytes = size;
      product.args.threads = threads;
      if (shape().period > 0) // what takes most: types from positions, and lists of rows
        product.setPositions(std::vector<int64_t>(size_t(m), 5), true);
      product.expectCorrect("workspace");
      EXPECT_TRUE(
          std::all_of(memory.begin() + 3 + long(size), memory.end(), [](int byte) { return byte == 0xff; }));
      product.args.workspace_bytes = size - 1;
      EXPECT_EQ(product.run(), ALGRT_WORKSPACE_TOO_SMALL);
    }
}

TEST_P(Forward, ManyThreadsShareOneBundle) {
  Product first(shape(), 9);
  std::vector<std::unique_ptr<Product>> products;
  for (int i = 0; i < 8; ++i) {
    products.push_back(std::make_unique<Product>(shape(), 1 + 5 * i));
    products.back()->bundle.reset();
  }
  std::vector<int> statuses(products.size(), -1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < products.size(); ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        statuses[i] = algrt_forward(first.bundle.get(), &products[i]->args);
        if (statuses[i] != ALGRT_OK)
          return;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < products.size(); ++i) {
    EXPECT_EQ(statuses[i], ALGRT_OK);
    EXPECT_TRUE(products[i]->check().within(tolerance(shape().bfloat16)));
  }
}

TEST_P(Forward, NanAndInfinityFlowTermByTerm) {
  for (float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()})
    for (bool in_w : {false, true}) {
      Product product(shape(), 13);
      if (in_w)
        product.w.set(shape().in, 0, special);
      else
        product.x.set(4, shape().in, special);
      ASSERT_EQ(product.run(), ALGRT_OK);
      EXPECT_EQ(product.check().kind_mismatches, 0);
      const std::vector<float> y = product.y.values();
      EXPECT_TRUE(std::any_of(y.begin(), y.end(), [](float v) { return !std::isfinite(v); }));
      EXPECT_TRUE(std::any_of(y.begin(), y.end(), [](float v) { return std::isfinite(v); }));
    }
}

TEST_P(Forward, NoRowsAreDoneAtOnce) {
  Product product(shape(), 0);
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  product.x.tensor.data = product.y.tensor.data = nullptr;
  EXPECT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
}

TEST(ForwardTypes, ATypeMayHaveAllRowsOrNone) {
  for (int32_t type : {0, 5}) {
    Product product(test::shape("explicit_f32"), 20);
    product.setTypes([&](int64_t) { return type; });
    product.expectCorrect("all rows of type " + std::to_string(type));
  }
}

TEST(ForwardTypes, ExplicitTypesEqualTheScheduleTheySpellOut) {
  Product product(test::shape("explicit_f32"), 25);
  product.setTypes([](int64_t row) { return int32_t((row + 4) % 6); });
  product.expectCorrect("cyclic, spelled out");
}

TEST(ForwardSlots, WeightsMayHaveThreeDimensions) {
  Product product(test::shape("slots_f32"), 6, 3);
  std::vector<int64_t> blocks = {4, 3, 5}, strides = {3 * product.w.stride, product.w.stride, 1};
  product.w.tensor.ndim = 3;
  product.w.tensor.shape = blocks.data();
  product.w.tensor.strides = strides.data();
  product.expectCorrect("three dimensions");
  strides[0] += 1;
  EXPECT_EQ(product.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(algrt_last_error()).find("blocks 25 elements apart, needs 24"), std::string::npos)
      << algrt_last_error();
}

} // namespace
} // namespace algrt
