// Measurement: the statistics exactly, the rest for what must hold whatever the machine.
#include "runtime/bench/bench.h"

#include "runtime/bench/case_data.h"
#include "runtime/bench/dense.h"
#include "runtime/bench/report.h"
#include "runtime/bench/statistics.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/shapes.h"

#include <cmath>
#include <gtest/gtest.h>

namespace algrt {
namespace {

std::string bundleFile(const std::string &shape) {
  const std::string path = testing::TempDir() + "algrt_bench_" + shape + ".alg";
  writeFileByRename(path, test::bundleOf(test::shape(shape)));
  return path;
}

BenchOptions quick() {
  BenchOptions options;
  options.trials = 3;
  options.threads = 2;
  options.flush_bytes = 1 << 20;
  return options;
}

TEST(Statistics, MedianAndQuartiles) {
  const Timing timing = summarise({5, 1, 3, 2, 4});
  EXPECT_EQ(timing.median, 3);
  EXPECT_EQ(timing.lower_quartile, 2);
  EXPECT_EQ(timing.upper_quartile, 4);
  EXPECT_EQ(summarise({1, 2}).median, 1.5);
  EXPECT_EQ(summarise({7}).upper_quartile, 7);
}

TEST(Statistics, DifferencesInsideTheNoiseAreNone) {
  EXPECT_EQ(verdict({10, 9, 11}, {20, 19, 21}), "faster");
  EXPECT_EQ(verdict({20, 19, 21}, {10, 9, 11}), "slower");
  EXPECT_EQ(verdict({10, 9, 12}, {12, 11, 13}), "same");
}

TEST(CaseData, CountsWhatIsActive) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("cyclic_f32")));
  const CaseData all(bundle, 10, 1), one(bundle, 1, 1);
  // Q(5), blocks of 4 x 6: 9 terms per row. With all types every block of the bank is read, with one type 9.
  EXPECT_EQ(all.activeMacs(), 10 * 9 * 24);
  EXPECT_EQ(all.activeBytes(), (10 * 50 + 20 * 30) * 4);
  EXPECT_EQ(one.activeBytes(), (50 + 9 * 24) * 4);
}

TEST(CaseData, AForgottenResultIsSeen) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("cyclic_bf16")));
  CaseData data(bundle, 4, 1);
  data.poisonResult();
  EXPECT_EQ(data.check(1).kind_mismatches, 4 * 15);
}

TEST(ShellCommand, AShellReadsTheSameWords) {
  const char *const words[] = {"/some/where/algctl", "bench", "Q(16)", "--m=1,2048",
                               "two words",          "it's",  "",      "$x"};
  EXPECT_EQ(shellCommand("algctl", int(std::size(words)), words),
            "algctl bench 'Q(16)' --m=1,2048 'two words' 'it'\\''s' '' '$x'");
}

TEST(Bench, MeasuresEveryShape) {
  Bench bench(quick());
  for (const test::Shape &shape : test::shapes()) {
    const BenchCase result = bench.measure(bundleFile(shape.name), 11);
    EXPECT_EQ(result.k, shape.k());
    EXPECT_EQ(result.q, shape.groups);
    ASSERT_TRUE(result.packed && result.on_the_fly) << shape.name;
    for (const WarmAndFlushed &times : {*result.packed, *result.on_the_fly})
      for (const Timing &timing : {times.warm, times.flushed}) {
        EXPECT_GT(timing.lower_quartile, 0);
        EXPECT_LE(timing.lower_quartile, timing.median);
        EXPECT_LE(timing.median, timing.upper_quartile);
      }
    EXPECT_GT(result.floor_us, 0);
    EXPECT_LE(result.relative_l2, shape.bfloat16 ? 4e-3 : 1e-5);
    EXPECT_EQ(result.checked_rows, 11);
    const nlohmann::ordered_json json = toJson(result);
    for (const char *key : {"m", "k", "n", "q", "map", "target", "dtype", "algebra_us", "dense_us", "speedup",
                            "floor_us", "floor_over_algebra", "max_rel_error"})
      EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_NE(textTable({result}).find(result.algebra), std::string::npos);
  }
}

TEST(Bench, KernelsThatComputeSomethingElseAreNotMeasured) {
  // Code made for intervals of 3 rows under a manifest that says 2: rows are dealt out wrongly.
  // wrongly.
  nlohmann::ordered_json manifest = test::manifestOf(test::shape("interval_f32"));
  manifest["layer"]["row_types"]["width"] = 2;
  const std::string path = testing::TempDir() + "algrt_bench_wrong.alg";
  writeFileByRename(path, test::bundleOf(test::shape("interval_f32"), manifest));
  BenchOptions options = quick();
  options.against_dense = false;
  Bench bench(options);
  try {
    bench.measure(path, 12);
    ADD_FAILURE() << "measured";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("reference"), std::string::npos) << error.what();
  }
  EXPECT_THROW(bench.measure(path, 0), Error);
}

// Whatever libraries there are multiply correctly as we call them.
TEST(Dense, LibrariesComputeTheProduct) {
  constexpr int64_t m = 5, k = 7, n = 11;
  for (auto open : {openOnednn, openOpenblas}) {
    std::string found;
    const std::unique_ptr<DenseLibrary> library = open(2, found);
    EXPECT_FALSE(found.empty());
    if (!library)
      continue;
    for (ElementType type : {ElementType::f32, ElementType::bf16}) {
      std::vector<float> x(m * k), w(k * n), y(m * n, NAN);
      std::vector<uint16_t> x_narrow, w_narrow, y_narrow(m * n, 0xffff);
      for (size_t i = 0; i < x.size(); ++i)
        x_narrow.push_back(toBfloat16(x[i] = float(int(i % 5) - 2)));
      for (size_t i = 0; i < w.size(); ++i)
        w_narrow.push_back(toBfloat16(w[i] = float(int(i % 3) - 1)));
      const bool narrow = type == ElementType::bf16;
      const DenseOperands operands{m,
                                   k,
                                   n,
                                   type,
                                   narrow ? static_cast<void *>(x_narrow.data()) : x.data(),
                                   narrow ? static_cast<void *>(w_narrow.data()) : w.data(),
                                   narrow ? static_cast<void *>(y_narrow.data()) : y.data()};
      for (const std::unique_ptr<DenseProduct> &product : library->products(operands)) {
        std::fill(y.begin(), y.end(), NAN);
        std::fill(y_narrow.begin(), y_narrow.end(), uint16_t(0xffff));
        product->run();
        for (int64_t r = 0; r < m; ++r)
          for (int64_t c = 0; c < n; ++c) {
            float sum = 0; // small integers: exact in bf16 too
            for (int64_t d = 0; d < k; ++d)
              sum += x[size_t(r * k + d)] * w[size_t(d * n + c)];
            const size_t i = size_t(r * n + c);
            ASSERT_EQ(narrow ? fromBfloat16(y_narrow[i]) : y[i], sum) << product->name();
          }
      }
    }
  }
}

} // namespace
} // namespace algrt
