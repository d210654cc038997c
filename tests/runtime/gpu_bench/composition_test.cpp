// The composition over cuBLAS in the measurements, on stand-ins whose clock moves only with work.
#include "runtime/bench/gpu/measure_cases.h"

#include "runtime/support/file.h"
#include "tests/runtime/cublas_stand_in/control.h"
#include "tests/runtime/cublaslt_stand_in/control.h"
#include "tests/runtime/cuda_stand_in/control.h"
#include "tests/runtime/cuda_stand_in/work.h"
#include "tests/runtime/gpu_bench/host_kernel.h"
#include "tests/runtime/gpu_bench/layers.h"
#include "tests/runtime/nvml_stand_in/control.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace algrt {
namespace {

constexpr double algebra_us = 10 + 20; // the stand-in's launch and the kernel

class CompositionTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("ALGRT_CUDA_DRIVER", CUDA_STAND_IN, 1);
    ::setenv("ALGRT_CUBLASLT", CUBLASLT_STAND_IN, 1);
    ::setenv("ALGRT_CUBLAS", CUBLAS_STAND_IN, 1);
    ::setenv("ALGRT_NVML", NVML_STAND_IN, 1);
    cuda_stand_in::reset({cuda_stand_in::DeviceSpec{}});
    cublaslt_stand_in::reset({{80}});
    cublas_stand_in::reset({60, 45, 0, 0, -1});
    nvml_stand_in::reset({{}, {unsigned(::getpid())}});
    options.trials.flush_bytes = 1 << 20;
    options.trials.evaluation_trials = 3;
    options.trials.most_replays = 4;
    options.copy_sizes = {1 << 20};
    options.dense_rate_size = 16;
    options.workspace_bytes = 1 << 16;
    use(test::gpuManifest(8, 8, 16, 1));
  }

  void TearDown() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cublas_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
    EXPECT_EQ(cublas_stand_in::liveHandles(), 0);
  }

  void use(const nlohmann::ordered_json &manifest) {
    const std::string bytes = test::gpuBundle(manifest);
    path = testing::TempDir() + "composed.alg";
    writeFileByRename(path, bytes);
    bundle = std::make_unique<Bundle>(Bundle::parse(bytes));
    kernel = std::make_unique<test::HostKernel>(test::HostKernel{*bundle, ElementType::Bf16, {}, {}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      cuda_stand_in::advanceClock(20e-3);
      kernel->run(launch);
    });
  }

  GpuReport report(int64_t m) {
    TableMatch match;
    match.row.name = "case";
    match.row.m = m;
    match.bundle_path = path;
    return measureOnGpu(options, {match}, "algbench", {});
  }
  GpuBenchCase measure(int64_t m) {
    const GpuReport measured = report(m);
    EXPECT_EQ(measured.cases.size(), 1u);
    return measured.cases.at(0).result;
  }

  GpuBenchOptions options;
  std::string path;
  std::unique_ptr<Bundle> bundle;
  std::unique_ptr<test::HostKernel> kernel;
};

// 37 rows of 8 types: five of type 0 to 4 and four of the others, so that every round has two shapes.
TEST_F(CompositionTest, TheFasterWayIsMeasuredBesideTheOthers) {
  const GpuBenchCase grouped = measure(37);
  ASSERT_TRUE(grouped.algebra && grouped.dense && grouped.composition) << grouped.composition_library;
  EXPECT_NEAR(grouped.composition->us.warm.median, 2 * 45, 1e-3);
  EXPECT_NEAR(grouped.composition->us.flushed.median, 2 * 45, 1e-3);
  EXPECT_NEAR(grouped.algebra->us.warm.median, algebra_us, 1e-3);
  EXPECT_NEAR(grouped.dense->us.warm.median, 80, 1e-3);
  EXPECT_EQ(grouped.composition_library, "cuBLAS 13.2.3, 64 products in 2 grouped calls");
  EXPECT_GT(grouped.composition_relative_l2, 0);
  EXPECT_LT(grouped.composition_relative_l2, 4e-3);

  cublas_stand_in::reset({15, 45, 0, 0, -1});
  const GpuBenchCase batched = measure(37);
  EXPECT_NEAR(batched.composition->us.warm.median, 4 * 15, 1e-3);
  EXPECT_EQ(batched.composition_library, "cuBLAS 13.2.3, 64 products in 4 batched calls");
}

TEST_F(CompositionTest, IntervalsAndSlots) {
  for (const nlohmann::ordered_json &manifest :
       {test::gpuManifest(4, 8, 16, 3), test::gpuManifest(4, 8, 16, 16), test::gpuSlotManifest()}) {
    use(manifest);
    for (const double batched_us : {1.0, 1000.0}) { // the one way and the other
      cublas_stand_in::reset({batched_us, 45, 0, 0, -1});
      const GpuBenchCase result = measure(29);
      EXPECT_TRUE(result.composition) << result.composition_library;
      EXPECT_NE(result.composition_library.find(batched_us < 45 ? "batched" : "grouped"), std::string::npos);
    }
  }
}

// One product that is missing of 64, which is one part in 90 of the result, in the checked run.
TEST_F(CompositionTest, AWrongCompositionHasNoTime) {
  // Calibrating queues each way 1 + 1 + replays times; the checked run is the one behind both.
  for (const int64_t product : {0, 9, 63}) {
    const int64_t calls_of_a_way = 1 + 1 + options.trials.most_replays;
    const int64_t checked = 2 * calls_of_a_way * 64 + product;
    cublas_stand_in::reset({60, 45, 0, 0, checked});
    const GpuBenchCase result = measure(37);
    EXPECT_FALSE(result.composition) << product;
    EXPECT_NE(result.composition_library.find("computes something else"), std::string::npos)
        << result.composition_library;
    EXPECT_TRUE(result.algebra && result.dense);
  }
}

TEST_F(CompositionTest, AWayThatTheLibraryRefusesIsNotTaken) {
  cublas_stand_in::reset({60, 45, 0, 15, -1});
  EXPECT_NE(measure(37).composition_library.find("batched"), std::string::npos);
  cublas_stand_in::reset({60, 45, 15, 15, -1});
  const GpuReport none = report(37);
  EXPECT_FALSE(none.cases[0].result.composition);
  EXPECT_TRUE(none.cases[0].result.algebra);
  const std::string text = gpuText({toJson(none)});
  EXPECT_NE(
      text.find("no composed time: case, 37 rows: cuBLAS 13.2.3; cuBLAS 13.2.3, 64 products in 4 batched "
                "calls: cuBLAS: cublasGemmBatchedEx failed with status 15"),
      std::string::npos)
      << text;
}

TEST_F(CompositionTest, ItIsInTheReport) {
  const nlohmann::ordered_json json = toJson(report(37));
  const nlohmann::ordered_json &result = json["cases"][0];
  EXPECT_NEAR(result["composition_us"].get<double>(), 90, 1e-3);
  EXPECT_NEAR(result["composition_flushed_us"].get<double>(), 90, 1e-3);
  EXPECT_NEAR(result["speedup_over_composition"].get<double>(), 3, 1e-3);
  EXPECT_EQ(json["machine"]["composition_library"], "cuBLAS 13.2.3");
  const std::string text = gpuText({json});
  EXPECT_NE(text.find("composed us"), std::string::npos) << text;
  EXPECT_NE(text.find("90.0 ±0.0"), std::string::npos) << text;
  EXPECT_NE(text.find("3.00x"), std::string::npos) << text;
}

TEST_F(CompositionTest, WithoutTheLibraryThereIsANoteAndNoColumn) {
  const nlohmann::ordered_json with = toJson(report(37));
  ::setenv("ALGRT_CUBLAS", "/nonexistent/libcublas.so", 1);
  const nlohmann::ordered_json without = toJson(report(37));
  EXPECT_EQ(without["cases"][0]["composition_us"], nullptr);
  EXPECT_TRUE(without["cases"][0]["dense_us"].is_number());
  const std::string text = gpuText({without, without});
  EXPECT_EQ(text.find("composed us"), std::string::npos) << text;
  const size_t note = text.find("no composed times: no cuBLAS: /nonexistent/libcublas.so");
  EXPECT_NE(note, std::string::npos) << text;
  EXPECT_EQ(text.find("no composed times", note + 1), std::string::npos) << "once for all reports";
  // Together the column is there, and empty for those without.
  EXPECT_NE(gpuText({with, without}).find("composed us"), std::string::npos);
  ::setenv("ALGRT_CUBLAS", CUBLASLT_STAND_IN, 1);
  EXPECT_NE(report(37).machine.composition_library.find("has no function cublasCreate_v2"),
            std::string::npos);
}

TEST_F(CompositionTest, WithoutTheDenseLibraryItIsStillMeasured) {
  ::setenv("ALGRT_CUBLASLT", "/nonexistent/libcublasLt.so", 1);
  const GpuBenchCase result = measure(37);
  EXPECT_FALSE(result.dense);
  ASSERT_TRUE(result.composition);
  EXPECT_NEAR(result.composition->us.warm.median, 90, 1e-3);
  options.against_dense = false;
  EXPECT_EQ(measure(37).composition_library, "not asked for");
}

} // namespace
} // namespace algrt
