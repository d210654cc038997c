// Numbers below the smallest normal one: tensor cores and f32 sums keep them, in all maps and on both
// targets.
#include "compiler/bundle/layer_description.h"
#include "compiler/simulator/agreement.h"
#include "runtime/reference/random.h"
#include "tests/simulator/kernels/exact_case.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

constexpr auto f32 = algrt::ElementType::F32;

std::vector<float> scaled(int64_t count, double scale, uint64_t seed) {
  std::vector<float> values = algrt::randomValues(count, 1, seed);
  for (float &value : values)
    value = static_cast<float>(value * scale);
  algrt::roundToBfloat16(values);
  return values;
}

TEST(SubnormalOperands, CountInEveryMap) {
  const compiler::Spec spec = projection("Q(3)", 96, 144);
  const algrt::Layer layer = compiler::runtimeLayer(compiler::requireLayer(spec));
  const algrt::Support support = compiler::runtimeSupport(compiler::requireLayer(spec));
  const int64_t m = 70;
  for (const algrt::Map map : {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw})
    for (const char *target : {"sm_80", "sm_90a"}) {
      const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(spec, "", f32, target, map), "Q(3)");
      const std::vector<float> x = scaled(m * (map == algrt::Map::Dx ? layer.n : layer.k), 0x1p-130, 1);
      const std::vector<float> w =
          scaled(map == algrt::Map::Dw ? m * layer.n : layer.k * layer.weightColumns(), 0x1p60, 2);
      ASSERT_TRUE(std::any_of(x.begin(), x.end(),
                              [](float value) { return std::fpclassify(value) == FP_SUBNORMAL; }));
      const compiler::ProductOperands product{&layer, &support, m, 1, x, w};
      const compiler::Simulation run = kernel.run(product, settingsOf(3, 3));
      ASSERT_TRUE(run.ok()) << target << " " << algrt::name(map);
      const auto expected = compiler::expectedProduct(product, map);
      const auto found = compiler::agreement(run.y, expected, f32);
      EXPECT_EQ(found.wrong, 0) << target << " " << algrt::name(map) << ": "
                                << (found.wrong ? compiler::describeFirst(found, run.y, expected, layer, map)
                                                : "");
    }
}

} // namespace
