// Layers with a bias, measured on the stand-ins: kernels and the dense side both add it.
#include "tests/runtime/cublas_stand_in/control.h"
#include "tests/runtime/gpu_bench/bench_fixture.h"

namespace algrt {
namespace {

using BiasBenchTest = GpuBenchTest;

TEST_F(BiasBenchTest, TheDenseSideAddsTheBiasToo) {
  use(test::gpuBiasManifest(8, 8, 16, 1));
  for (const int64_t m : {1, 37}) {
    const GpuBenchCase result = measure(m);
    EXPECT_FALSE(result.anyWrong()) << result.variants[0].failure;
    ASSERT_TRUE(result.algebra && result.dense);
    EXPECT_NEAR(result.algebra->us.warm.median, launch_us + 20, 1e-3);
    EXPECT_NEAR(result.dense->us.warm.median, 80, 1e-3);
    EXPECT_NE(result.dense_library.find("candidate 2 of 3, 0.0 MB workspace, which adds the bias"),
              std::string::npos)
        << result.dense_library;
    EXPECT_FALSE(result.composition);
  }
}

// Without it a result is wrong, and said to be.
TEST_F(BiasBenchTest, AKernelThatForgetsItIsWrong) {
  const nlohmann::ordered_json manifest = test::gpuBiasManifest(8, 8, 16, 1);
  use(manifest);
  const Bundle without = Bundle::parse(test::gpuBundle(test::gpuManifest(8, 8, 16, 1)));
  const test::HostKernel forgets{without, ElementType::Bf16, {}, {}};
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) {
    if (launch.symbol == "forward_128")
      forgets.run(launch);
    else
      kernels.at(launch.symbol)->run(launch);
  });
  const GpuBenchCase result = measure(37);
  ASSERT_EQ(result.variants.size(), 2u);
  EXPECT_EQ(result.variants[0].failure, "");
  EXPECT_NE(result.variants[1].failure.find("checked outputs are wrong"), std::string::npos)
      << result.variants[1].failure;
  EXPECT_EQ(result.winners, std::vector<size_t>{0});
}

// Products of blocks have no epilogue: what they would take with one more pass is not what is asked.
TEST_F(BiasBenchTest, ACompositionOfBlocksIsNotMeasured) {
  ::setenv("ALGRT_CUBLAS", CUBLAS_STAND_IN, 1);
  cublas_stand_in::reset({60, 45, 0, 0, -1});
  use(test::gpuBiasManifest(8, 8, 16, 1));
  const GpuBenchCase result = measure(37);
  EXPECT_FALSE(result.composition);
  EXPECT_NE(result.composition_library.find("products of blocks add no bias"), std::string::npos)
      << result.composition_library;
  EXPECT_TRUE(result.dense);
}

} // namespace
} // namespace algrt
