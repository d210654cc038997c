// Gradients and steps of training in the measurements, on stand-ins whose clock moves only with work.
#include "runtime/bench/gpu/measure_cases.h"

#include "runtime/support/file.h"
#include "tests/runtime/cublas_stand_in/control.h"
#include "tests/runtime/cublaslt_stand_in/control.h"
#include "tests/runtime/cuda/gpu_bundle.h"
#include "tests/runtime/cuda/host_column_sums.h"
#include "tests/runtime/cuda/host_kernel.h"
#include "tests/runtime/cuda/host_weight_kernel.h"
#include "tests/runtime/cuda_stand_in/control.h"
#include "tests/runtime/cuda_stand_in/work.h"
#include "tests/runtime/nvml_stand_in/control.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

namespace algrt {
namespace {

using test::GpuShape;

constexpr double launch_us = 10; // that the stand-in takes for every launch
constexpr double forward_us = 20, dx_us = 30, dw_us = 40, dbias_us = 7, dense_us = 80;

GpuShape shapeOf(const GpuShape &layer, Map map) {
  GpuShape shape = layer;
  shape.gradient = map == Map::Dx;
  shape.weight_gradient = map == Map::Dw;
  return shape;
}

class GradientsTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("ALGRT_CUDA_DRIVER", CUDA_STAND_IN, 1);
    ::setenv("ALGRT_CUBLASLT", CUBLASLT_STAND_IN, 1);
    ::setenv("ALGRT_CUBLAS", CUBLAS_STAND_IN, 1);
    ::setenv("ALGRT_NVML", NVML_STAND_IN, 1);
    cuda_stand_in::reset({cuda_stand_in::DeviceSpec{}});
    cublaslt_stand_in::reset({{100}, {dense_us}});
    cublaslt_stand_in::onMatmul([&](int) { log.push_back("dense"); });
    cublas_stand_in::reset({60, 45, 0, 0, -1});
    nvml_stand_in::reset({{}, {unsigned(::getpid())}});
    options.trials.flush_bytes = 1 << 20;
    options.trials.evaluation_trials = 2;
    options.trials.most_replays = 3;
    options.copy_sizes = {1 << 20};
    options.dense_rate_size = 16;
    options.workspace_bytes = 1 << 16;
    use(layer);
  }

  void TearDown() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cublaslt_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
    EXPECT_EQ(cublaslt_stand_in::liveObjects(), 0);
  }

  // A bundle with kernels of those maps.
  void use(const GpuShape &given, const std::vector<Map> &maps = {Map::Forward, Map::Dx, Map::Dw}) {
    layer = given;
    nlohmann::ordered_json manifest;
    std::vector<SectionContent> sections;
    for (const Map map : maps) {
      const GpuShape shape = shapeOf(given, map);
      nlohmann::ordered_json of_map = gpuManifest(shape);
      const std::string section = std::string("of-") + name(map);
      for (nlohmann::ordered_json &kernel : of_map["kernels"])
        kernel["images"][0]["section"] = section;
      if (manifest.is_null())
        manifest = of_map;
      else
        for (const nlohmann::ordered_json &kernel : of_map["kernels"])
          manifest["kernels"].push_back(kernel);
      sections.push_back({section, "ptx", gpuPtx(shape)});
    }
    if (given.bias) {
      const Elementwise sums = test::columnSums(given.n(), ElementType::Bf16);
      manifest["elementwise"].push_back(elementwiseJson(sums));
      sections.push_back({sums.name, "ptx", test::columnSumsPtx(ElementType::Bf16)});
    }
    path = testing::TempDir() + "gradients.alg";
    writeFileByRename(path, gpuBundle(given, manifest, sections));
    cuda_stand_in::onLaunch([this](cuda_stand_in::Launch launch) {
      const std::string map = launch.symbol.substr(0, launch.symbol.find('_'));
      log.push_back(map);
      if (spoil)
        spoil(launch);
      if (map == "dbias") {
        cuda_stand_in::advanceClock(1e-3 * dbias_us);
        test::ColumnSums(launch).run();
        return;
      }
      cuda_stand_in::advanceClock(1e-3 * (map == "forward" ? forward_us : map == "dx" ? dx_us : dw_us));
      if (map == "dw")
        runHostWeightKernel(shapeOf(layer, Map::Dw), launch);
      else
        runHostKernel(shapeOf(layer, map == "dx" ? Map::Dx : Map::Forward), launch);
    });
  }

  TableMatch match(const std::string &map, int64_t m = 29) const {
    TableMatch match;
    match.row.name = "case";
    match.row.map = map;
    match.row.m = m;
    match.bundle_path = path;
    return match;
  }
  GpuReport report(const std::vector<TableMatch> &cases) const {
    return measureOnGpu(options, cases, "algbench", {});
  }
  GpuBenchCase measure(const std::string &map, int64_t m = 29) {
    MeasuredDevice device(options);
    GpuBench bench(device);
    rate = device.lookedAt().copy_bytes_per_second;
    return bench.measure(path, m, map);
  }

  GpuShape layer{.groups = 4, .in = 16, .out = 24, .vector = 8};
  GpuBenchOptions options;
  std::string path;
  std::vector<std::string> log; // what ran on the device
  std::function<void(cuda_stand_in::Launch &)> spoil;
  double rate = 0;
};

// Every lift and schedule of types: right kernels, the dense products with the transposed operands, the
// floor.
TEST_F(GradientsTest, EachGradientRacesItsTransposedDenseProduct) {
  const GpuShape interval{.row_types = RowTypesKind::Interval, .run = 3, .vector = 8};
  const GpuShape slots{.lift = Lift::Slots, .vector = 8}, table{.table = true, .vector = 8};
  for (const GpuShape &shape : {layer, interval, slots, table}) {
    use(shape);
    const auto m = uint64_t(29), k = uint64_t(shape.k()), n = uint64_t(shape.n());
    cublaslt_stand_in::reset({{100}, {dense_us}});
    const GpuBenchCase dx = measure("dx");
    EXPECT_FALSE(dx.anyWrong()) << dx.variants[0].failure;
    ASSERT_TRUE(dx.algebra && dx.dense) << dx.dense_library;
    EXPECT_EQ(dx.variants.size(), 2u); // bf16 and f32, none of another map
    for (Timing WarmAndFlushed::*state : {&WarmAndFlushed::warm, &WarmAndFlushed::flushed}) {
      EXPECT_NEAR((dx.algebra->us.*state).median, launch_us + dx_us, 1e-3);
      EXPECT_NEAR((dx.dense->us.*state).median, dense_us, 1e-3);
    }
    EXPECT_EQ(dx.checked_outputs, int64_t(m * k));
    EXPECT_EQ(dx.verdict, "faster");
    EXPECT_TRUE(cublaslt_stand_in::products().contains({m, n, k, false, true}));

    const GpuBenchCase dw = measure("dw");
    EXPECT_FALSE(dw.anyWrong()) << dw.variants[0].failure;
    ASSERT_TRUE(dw.algebra && dw.dense) << dw.dense_library;
    EXPECT_NEAR(dw.algebra->us.warm.median, launch_us + dw_us, 1e-3);
    EXPECT_NEAR(dw.dense->us.flushed.median, dense_us, 1e-3);
    EXPECT_EQ(dw.checked_outputs, int64_t(k) * shape.weightColumns());
    EXPECT_TRUE(cublaslt_stand_in::products().contains({k, m, n, true, false}));
    EXPECT_EQ(dw.active_macs, dx.active_macs);
    EXPECT_EQ(dw.dense_macs, int64_t(m * k * n));
    // x, dy and all of dw, once each.
    EXPECT_NEAR(dw.floor_bytes_us,
                2e6 * double(int64_t(m * (k + n)) + int64_t(k) * shape.weightColumns()) / rate, 1e-9);
    EXPECT_FALSE(dw.composition || dx.composition);
  }
}

TEST_F(GradientsTest, AStepOfTrainingIsItsThreeMapsInOneGraph) {
  const GpuBenchCase step = measure("training");
  EXPECT_FALSE(step.anyWrong());
  ASSERT_TRUE(step.algebra && step.dense) << step.dense_library;
  for (Timing WarmAndFlushed::*state : {&WarmAndFlushed::warm, &WarmAndFlushed::flushed}) {
    EXPECT_NEAR((step.algebra->us.*state).median, 3 * launch_us + forward_us + dx_us + dw_us, 1e-3);
    EXPECT_NEAR((step.dense->us.*state).median, 3 * dense_us, 1e-3);
  }
  EXPECT_EQ(step.winners.size(), 3u);
  EXPECT_FALSE(step.composition);
  // The last flushed trial of both sides.
  ASSERT_GE(log.size(), 6u);
  EXPECT_EQ(std::vector<std::string>(log.end() - 6, log.end()),
            (std::vector<std::string>{"forward", "dx", "dw", "dense", "dense", "dense"}));
  double floor = 0, bytes = 0;
  int64_t macs = 0, checked = 0;
  for (const char *map : {"forward", "dx", "dw"}) {
    const GpuBenchCase one = measure(map);
    floor += one.floor_us;
    bytes += one.floor_bytes_us;
    macs += one.active_macs;
    checked += one.checked_outputs;
  }
  EXPECT_NEAR(step.floor_us, floor, 1e-3);
  EXPECT_NEAR(step.floor_bytes_us, bytes, 1e-3);
  EXPECT_EQ(step.active_macs, macs);
  EXPECT_EQ(step.checked_outputs, checked);
}

// A dw that adds to what was there, a dx that misreads its offset.
TEST_F(GradientsTest, WrongGradientsAreReportedAndNotTimed) {
  spoil = [](cuda_stand_in::Launch &launch) {
    const float one = 1;
    if (launch.symbol == "dw_bf16")
      std::memcpy(launch.parameters.at(4).data(), &one, sizeof(one));
    if (launch.symbol == "dx_bf16" || launch.symbol == "dx_f32")
      std::fill(launch.parameters.at(2).begin(), launch.parameters.at(2).end(), std::byte(0));
  };
  const GpuBenchCase dw = measure("dw");
  ASSERT_EQ(dw.variants.size(), 2u);
  EXPECT_NE(dw.variants[0].failure.find("were not written or are NaN"), std::string::npos)
      << dw.variants[0].failure;
  EXPECT_EQ(dw.variants[0].calibration_us, 0);
  EXPECT_EQ(dw.winners, std::vector<size_t>{1}); // of f32, which is right
  EXPECT_TRUE(dw.algebra);

  const GpuBenchCase dx = measure("dx");
  for (const GpuVariant &variant : dx.variants)
    EXPECT_NE(variant.failure.find(", with row 0 at position 3"), std::string::npos) << variant.failure;
  EXPECT_TRUE(dx.winners.empty());
  EXPECT_FALSE(dx.algebra || dx.dense);

  // Without a right dx there is no step, though the others are right.
  const GpuReport step = report({match("training")});
  EXPECT_FALSE(step.cases[0].result.algebra || step.cases[0].result.dense);
  EXPECT_TRUE(step.anyWrong());
  EXPECT_NE(gpuText({toJson(step)}).find("WRONG: case, training, 29 rows, kernel dx-bf16"),
            std::string::npos);
}

TEST_F(GradientsTest, AGradientThatBreaksUnderReplayHasNoTime) {
  int launches = 0;
  spoil = [&](cuda_stand_in::Launch &launch) {
    // The last dw of all is of the last trial.
    if (launch.symbol.starts_with("dw") && ++launches > 35)
      std::fill(launch.parameters.at(1).begin(), launch.parameters.at(1).end(), std::byte(0)); // no rows
  };
  const GpuBenchCase step = measure("training");
  EXPECT_GT(launches, 35);
  EXPECT_FALSE(step.algebra);
  EXPECT_TRUE(step.winners.empty());
  const GpuVariant &dw = step.variants[4];
  EXPECT_EQ(dw.name, "dw-bf16");
  EXPECT_TRUE(dw.failure.starts_with("after the timed trials ")) << dw.failure;
}

TEST_F(GradientsTest, AWrongDenseProductIsNoBaselineOfAStep) {
  cublaslt_stand_in::reset({{10, 0, true}});
  const GpuBenchCase step = measure("training");
  EXPECT_TRUE(step.algebra);
  EXPECT_FALSE(step.dense);
  EXPECT_EQ(step.verdict, "not compared");
  EXPECT_NE(step.dense_library.find("computes something else"), std::string::npos) << step.dense_library;
}

TEST_F(GradientsTest, BundlesWithoutTheMapAreSkipped) {
  use(layer, {Map::Forward, Map::Dx});
  const GpuReport without = report({match("dx"), match("dw"), match("training")});
  EXPECT_EQ(without.cases.size(), 1u);
  ASSERT_EQ(without.skipped.size(), 2u);
  for (const TableMatch &skipped : without.skipped) {
    EXPECT_NE(skipped.skipped.find("has no kernel of dw for this device"), std::string::npos)
        << skipped.skipped;
    EXPECT_NE(skipped.skipped.find("--maps forward,dx,dw"), std::string::npos) << skipped.skipped;
  }
  std::string why_not;
  EXPECT_TRUE(measuresOnGpu("", {match("dx")}, 0, why_not));
  EXPECT_FALSE(measuresOnGpu("", {match("dw")}, 0, why_not));
  EXPECT_TRUE(measuresOnGpu("", {match("dw"), match("forward")}, 0, why_not));
}

TEST_F(GradientsTest, TheReportNamesTheMapAndTheModelsTime) {
  TableMatch step = match("training"), plain = match("forward");
  step.row.predicted_us = 123.4;
  step.row.published = {225.5, 177.5, 1.27, {}};
  const nlohmann::ordered_json json = toJson(report({step, match("dx"), plain}));
  EXPECT_EQ(json["cases"][0]["map"], "training");
  EXPECT_EQ(json["cases"][0]["variant"], "forward-bf16, dx-bf16, dw-bf16");
  EXPECT_EQ(json["cases"][0]["chosen_variant"], json["cases"][0]["variant"]);
  EXPECT_EQ(json["cases"][0]["output"], "bf16");
  EXPECT_EQ(json["cases"][0]["predicted_us"], 123.4);
  EXPECT_EQ(json["cases"][0]["variants"][2]["map"], "dx");
  EXPECT_TRUE(json["cases"][0]["tile"].is_null());
  EXPECT_EQ(json["cases"][1]["tile"]["rows"], 16);
  EXPECT_TRUE(json["cases"][1]["predicted_us"].is_null());
  const std::string text = gpuText({json});
  for (const char *cell :
       {"case, training ", "case, dx ", "model us", "123.4", "177.5", "120.0 ±0.0", "1.27x"})
    EXPECT_NE(text.find(cell), std::string::npos) << cell << "\n" << text;
  // No note where nothing is missing: gradients are not composed.
  EXPECT_EQ(text.find("no composed time"), std::string::npos) << text;
}

// dW of a layer with a bias is measured with the sums of dY's columns, which the dense product sums, too.
TEST_F(GradientsTest, TheGradientOfABiasBelongsToThatOfTheWeights) {
  GpuShape shape = layer;
  shape.bias = true;
  use(shape);
  for (const int64_t m : {29, 300}) {
    cublaslt_stand_in::reset({{100}, {dense_us}});
    log.clear();
    const GpuBenchCase dw = measure("dw", m);
    EXPECT_FALSE(dw.anyWrong()) << dw.variants[0].failure;
    ASSERT_TRUE(dw.algebra && dw.dense) << dw.dense_library;
    EXPECT_NEAR(dw.algebra->us.warm.median, launch_us + dw_us + launch_us + dbias_us, 1e-3);
    EXPECT_NEAR(dw.dense->us.warm.median, dense_us, 1e-3);
    EXPECT_NE(dw.dense_library.find("which sums the gradient of the bias"), std::string::npos)
        << dw.dense_library;
    EXPECT_EQ(std::count(log.begin(), log.end(), "dbias"), std::count(log.begin(), log.end(), "dw"));
  }
  // dx has nothing to do with it.
  const GpuBenchCase dx = measure("dx");
  EXPECT_NEAR(dx.algebra->us.warm.median, launch_us + dx_us, 1e-3);
}

TEST_F(GradientsTest, WrongSumsAreSaidToBe) {
  GpuShape shape = layer;
  shape.bias = true;
  use(shape);
  // The library's: it is not compared with.
  cublaslt_stand_in::reset({{.microseconds = dense_us, .wrong_sums = true}});
  const GpuBenchCase library = measure("dw");
  EXPECT_FALSE(library.dense);
  EXPECT_NE(library.dense_library.find("the gradient of the bias is wrong at column 0"), std::string::npos)
      << library.dense_library;
  // Ours: no kernel is right.
  spoil = [](cuda_stand_in::Launch &launch) {
    if (launch.symbol != dbiasFunction(ElementType::Bf16))
      return;
    int32_t rows;
    std::memcpy(&rows, launch.parameters.at(5).data(), sizeof(rows));
    --rows; // the last one does not count
    std::memcpy(launch.parameters.at(5).data(), &rows, sizeof(rows));
  };
  const GpuBenchCase ours = measure("dw");
  EXPECT_TRUE(ours.anyWrong());
  EXPECT_FALSE(ours.algebra);
  EXPECT_NE(ours.variants[0].failure.find("the gradient of the bias is wrong"), std::string::npos)
      << ours.variants[0].failure;
}

} // namespace
} // namespace algrt
