// Measurement: the statistics exactly, the rest for what must hold whatever the machine.
#include "runtime/bench/bench.h"

#include "runtime/bench/case_data.h"
#include "runtime/bench/dense.h"
#include "runtime/bench/report.h"
#include "runtime/bench/scatter.h"
#include "runtime/bench/statistics.h"
#include "runtime/bench/workload.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/shapes.h"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

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

// A time that varies by more than half of itself is named, in the JSON by its key.
TEST(Statistics, ScatteredTimesAreNamed) {
  const WarmAndFlushed steady = {{100, 75, 125}, {200, 199, 201}},
                       shared = {{14236, 4320, 24152}, {200, 199, 201}};
  const std::vector<MeasuredSide> sides = {{"packed_us", "packed product", steady},
                                           {"on_the_fly_us", "product", {}},
                                           {"dense_us", "dense product", shared}};
  EXPECT_EQ(scatteredTimes(sides), std::vector<std::string>{"dense_us.warm"});
  EXPECT_EQ(
      scatterWarnings("up.alg, 64 rows", sides),
      "warning: up.alg, 64 rows: the dense product's warm times vary by 19832.0 us about their median of "
      "14236.0 us, so that the ratio says little: run on a quiet machine\n");

  BenchReport report;
  report.cases.emplace_back();
  report.cases.back().name = "up.alg";
  report.cases.back().packed = steady;
  report.cases.back().dense = shared;
  EXPECT_NE(text(report).find("warning: up.alg, 0 rows: the dense product's warm times"), std::string::npos);
  EXPECT_EQ(toJson(report)["cases"][0]["scattered"], nlohmann::json({"dense_trials_us.warm"}));
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
  // Q(5), blocks of 4 x 6: 9 terms per row. With all types every block of the weight matrix is read, with one
  // type 9.
  EXPECT_EQ(all.activeMacs(), 10 * 9 * 24);
  EXPECT_EQ(all.activeBytes(), (10 * 50 + 20 * 30) * 4);
  EXPECT_EQ(one.activeBytes(), (50 + 9 * 24) * 4);
}

// The gradients multiply as much. That of the weight matrix writes all of it, whatever the rows reach.
TEST(CaseData, CountsWhatIsActiveInGradients) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("cyclic_f32")));
  for (Map map : {Map::Dx, Map::Dw}) {
    const CaseData one(bundle, 1, 1, map);
    EXPECT_EQ(one.activeMacs(), 9 * 24);
    EXPECT_EQ(one.activeBytes(), (50 + (map == Map::Dw ? 600 : 9 * 24)) * 4);
  }
}

// A row of each of the quaternions' slots costs the same, one of each type of an interval too.
TEST(CaseData, CountsRowsThatRotateOnAverage) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("interval_f32")));
  EXPECT_EQ(CaseData(bundle, 1, 1, Map::Forward, true).activeMacs(), CaseData(bundle, 1, 1).activeMacs());
  const Bundle without_positions = Bundle::parse(test::bundleOf(test::shape("explicit_f32")));
  EXPECT_THROW(CaseData(without_positions, 4, 1, Map::Forward, true), Error);
}

TEST(CaseData, AForgottenResultIsSeen) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("cyclic_bf16"))); // 24 x 15
  for (auto [map, elements] : {std::pair{Map::Forward, 4 * 15}, {Map::Dx, 4 * 24}, {Map::Dw, 24 * 15}}) {
    CaseData data(bundle, 4, 1, map);
    data.poisonResult();
    EXPECT_EQ(data.check(1).kind_mismatches, elements);
  }
}

// The dense product beside a map has its operands and its result.
TEST(CaseData, DenseProductsAreOfTheSameSize) {
  const Bundle bundle = Bundle::parse(test::bundleOf(test::shape("cyclic_f32"))); // 20 -> 30
  CaseData forward(bundle, 7, 1), dx(bundle, 7, 1, Map::Dx), dw(bundle, 7, 1, Map::Dw);
  const DenseOperands y = forward.dense(), x = dx.dense(), w = dw.dense();
  EXPECT_EQ(std::tie(y.m, y.k, y.n, y.x_transposed, y.w_transposed),
            std::make_tuple(7, 20, 30, false, false));
  EXPECT_EQ(std::tie(x.m, x.k, x.n, x.x_transposed, x.w_transposed), std::make_tuple(7, 30, 20, false, true));
  EXPECT_EQ(std::tie(w.m, w.k, w.n, w.x_transposed, w.w_transposed), std::make_tuple(20, 7, 30, true, false));
  EXPECT_TRUE(y.w_stays);
  EXPECT_FALSE(x.w_stays || w.w_stays);
}

TEST(Workloads, HaveNames) {
  EXPECT_EQ(requireWorkload("training").maps, (std::vector{Map::Forward, Map::Dx, Map::Dw}));
  EXPECT_TRUE(requireWorkload("decode").rotates);
  EXPECT_FALSE(requireWorkload("forward").rotates);
  EXPECT_EQ(findWorkload("ffn"), nullptr);
  EXPECT_THROW(requireWorkload("ffn"), Error);
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

// A library of f32 alone; what it computes is nobody's concern here. One of its products cannot be run.
class OnlyFloats : public DenseLibrary {
public:
  std::string name() const override { return "only floats"; }
  std::vector<std::unique_ptr<DenseProduct>> products(const DenseOperands &operands) override {
    std::vector<std::unique_ptr<DenseProduct>> products;
    if (operands.type == ElementType::F32)
      for (const bool runs : {false, true})
        products.push_back(std::make_unique<Product>(runs));
    return products;
  }

private:
  struct Product : DenseProduct {
    explicit Product(bool runs) : runs(runs) {}
    void run() override {
      if (!runs)
        throw Error(ALGRT_UNSUPPORTED, "not on this processor");
    }
    std::string name() const override { return runs ? "a product" : "none"; }
    bool runs;
  };
};

// What no library does is looked for once, and said.
TEST(Bench, SaysWhereNoLibraryMultipliesTheType) {
  for (const bool any : {false, true}) {
    std::vector<std::unique_ptr<DenseLibrary>> libraries;
    if (any)
      libraries.push_back(std::make_unique<OnlyFloats>());
    int rates = 0;
    BenchOptions options = quick();
    options.progress = [&](double, const std::string &what) { rates += what.starts_with("dense rate"); };
    Bench bench(options, DenseLibraries(std::move(libraries)));
    for (int repetition = 0; repetition < 2; ++repetition) {
      const BenchCase result = bench.measure(bundleFile("cyclic_bf16"), 3);
      EXPECT_EQ(result.dense_library, any ? "none of the dense libraries multiplies bf16 on this processor"
                                          : "no dense library found");
      EXPECT_FALSE(result.dense);
      EXPECT_EQ(result.verdict, "not compared");
      EXPECT_EQ(result.floor_us, result.floor_bytes_us);
      EXPECT_TRUE(toJson(result)["floor_macs_us"].is_null());
    }
    EXPECT_EQ(rates, 1);
    EXPECT_TRUE(toJson(bench.machine())["dense_macs_per_second_bf16"].is_null());
    const BenchCase floats = bench.measure(bundleFile("cyclic_f32"), 3);
    EXPECT_EQ(floats.dense_library, any ? "a product" : "no dense library found");
  }
}

TEST(Bench, RowsRotateOnRequest) {
  Bench bench(quick());
  for (const char *shape : {"cyclic_f32", "interval_f32", "slots_f32"}) {
    const BenchCase result = bench.measure(bundleFile(shape), 1, "decode");
    EXPECT_EQ(result.map, "decode");
    EXPECT_GT(result.packed->warm.median, 0);
    EXPECT_NE(textTable({result}).find(", decode"), std::string::npos);
  }
}

TEST(Bench, MapsWithoutKernelsAreRefused) {
  Bench bench(quick());
  for (const char *map : {"dx", "dw", "training"})
    try {
      bench.measure(bundleFile("cyclic_f32"), 3, map);
      ADD_FAILURE() << "measured";
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), ALGRT_UNSUPPORTED);
      EXPECT_NE(std::string(error.what()).find("has no kernel of d"), std::string::npos) << error.what();
    }
}

TEST(Bench, KernelsThatComputeSomethingElseAreNotMeasured) {
  // Code made for intervals of 3 rows, which says 2 as the manifest does: rows are dealt out wrongly.
  nlohmann::ordered_json manifest = test::manifestOf(test::shape("interval_f32"));
  manifest["layer"]["row_types"]["width"] = 2;
  const std::string path = testing::TempDir() + "algrt_bench_wrong.alg";
  writeFileByRename(path, test::agreeingBundleOf(test::shape("interval_f32"), manifest));
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

// Whatever libraries there are multiply correctly as we call them, transposed operands too.
TEST(Dense, LibrariesComputeTheProduct) {
  constexpr int64_t m = 5, k = 7, n = 11;
  for (auto open : {openOnednn, openOpenblas}) {
    std::string found;
    const std::unique_ptr<DenseLibrary> library = open(2, found);
    EXPECT_FALSE(found.empty());
    if (!library)
      continue;
    for (ElementType type : {ElementType::F32, ElementType::Bf16})
      for (int transposed : {0, 1, 2, 3}) {
        std::vector<float> x(m * k), w(k * n), y(m * n, NAN);
        std::vector<uint16_t> x_narrow, w_narrow, y_narrow(m * n, 0xffff);
        for (size_t i = 0; i < x.size(); ++i)
          x_narrow.push_back(toBfloat16(x[i] = float(int(i % 5) - 2)));
        for (size_t i = 0; i < w.size(); ++i)
          w_narrow.push_back(toBfloat16(w[i] = float(int(i % 3) - 1)));
        const bool narrow = type == ElementType::Bf16;
        DenseOperands operands{m,
                               k,
                               n,
                               type,
                               narrow ? static_cast<void *>(x_narrow.data()) : x.data(),
                               narrow ? static_cast<void *>(w_narrow.data()) : w.data(),
                               narrow ? static_cast<void *>(y_narrow.data()) : y.data()};
        operands.x_transposed = (transposed & 1) != 0;
        operands.w_transposed = (transposed & 2) != 0;
        for (bool stays : {true, false}) {
          operands.w_stays = stays;
          const auto products = library->products(operands);
          for (const std::unique_ptr<DenseProduct> &product : products) {
            EXPECT_TRUE(stays || product->name().find("packed") == std::string::npos) << product->name();
            std::fill(y.begin(), y.end(), NAN);
            std::fill(y_narrow.begin(), y_narrow.end(), uint16_t(0xffff));
            product->run();
            for (int64_t r = 0; r < m; ++r)
              for (int64_t c = 0; c < n; ++c) {
                float sum = 0; // small integers: exact in bf16 too
                for (int64_t d = 0; d < k; ++d)
                  sum += x[size_t(operands.x_transposed ? d * m + r : r * k + d)] *
                         w[size_t(operands.w_transposed ? c * k + d : d * n + c)];
                const size_t i = size_t(r * n + c);
                ASSERT_EQ(narrow ? fromBfloat16(y_narrow[i]) : y[i], sum)
                    << product->name() << ", transposed " << transposed;
              }
          }
        }
      }
  }
}

} // namespace
} // namespace algrt
