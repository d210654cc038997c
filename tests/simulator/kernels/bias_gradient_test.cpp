// The kernel of the bias's gradient on the model of the SM, launched as the runtime launches it: any matrix,
// any grid, every seed, against sums in double precision.
#include "compiler/auxiliary/bias_gradient.h"
#include "compiler/auxiliary/instruction_writer.h"
#include "compiler/simulator/bias_gradient.h"
#include "runtime/cuda/bias_gradient_plan.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sys/mman.h>

using namespace compiler;

namespace {

class Kernel {
public:
  explicit Kernel(int64_t threads) : threads(threads) {
    loadAuxiliaryDialects(context);
    module = biasGradientModule(context, threads);
    host.emplace(*module);
  }
  SimulatedBiasGradient run(const BiasGradientOperands &operands,
                            const BiasGradientSettings &settings) const {
    return simulateBiasGradient(*host, threads, operands, settings);
  }
  const int64_t threads;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<HostKernel> host;
};

std::vector<float> randomBfloat16(int64_t count, uint64_t seed) {
  std::vector<float> values = algrt::randomValues(count, 1, seed);
  algrt::roundToBfloat16(values);
  return values;
}

void expectRight(const Kernel &kernel, const BiasGradientOperands &operands,
                 const BiasGradientSettings &settings, const std::string &what) {
  const SimulatedBiasGradient made = kernel.run(operands, settings);
  ASSERT_TRUE(made.faults.empty()) << what << ": " << made.faults.front().text() << "\n  at "
                                   << kernel.host->site(made.faults.front().site);
  ASSERT_EQ(made.unwritten, 0) << what;
  const Agreement found = agreement(made.dbias, expectedBiasGradient(operands), operands.output);
  ASSERT_EQ(found.wrong, 0) << what << ": element " << found.first_wrong << " is "
                            << made.dbias[static_cast<size_t>(found.first_wrong)];
}

// Fewer rows than are in flight, whole rounds of them, and with what is left over; columns of one block and
// of several, whole and not; one part, or several, the last of them short.
TEST(BiasGradientKernel, AgreesWithTheReference) {
  constexpr int64_t part = algrt::cuda::bias_gradient_part_rows;
  std::mt19937_64 random(1);
  const auto up_to = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  for (const int64_t threads : {64, 128, 512}) {
    const Kernel kernel(threads);
    for (const int64_t m : {int64_t{0}, int64_t{1}, int64_t{15}, int64_t{16}, int64_t{17}, int64_t{33},
                            64 + up_to(100), part, part + 1, 2 * part + up_to(part)})
      for (const algrt::ElementType output : {algrt::ElementType::F32, algrt::ElementType::Bf16}) {
        BiasGradientOperands operands;
        operands.m = m;
        operands.n = up_to(3) == 0 ? 64 * (1 + up_to(1)) : 1 + up_to(150);
        operands.output = output;
        const std::vector<float> dy = randomBfloat16(m * operands.n, random()),
                                 held = randomBfloat16(operands.n, random());
        operands.dy = dy;
        operands.beta = up_to(2) == 0 ? 0.0f : up_to(1) == 0 ? 1.0f : -0.3f;
        if (operands.beta != 0)
          operands.held = held;
        BiasGradientSettings settings;
        settings.seed = random();
        settings.blocks = up_to(3);
        settings.padding = up_to(5);
        settings.shift = up_to(9);
        expectRight(kernel, operands, settings,
                    std::to_string(m) + " x " + std::to_string(operands.n) + " on " +
                        std::to_string(settings.blocks) + " blocks of " + std::to_string(threads) +
                        ", beta " + std::to_string(operands.beta));
        if (HasFatalFailure())
          return;
      }
  }
}

// Sums of f32 lose these: what is large comes and goes, and what is small is left.
TEST(BiasGradientKernel, SumsInDoublePrecision) {
  const Kernel kernel(bias_gradient_threads);
  constexpr int64_t m = 600, n = 3;
  std::vector<float> dy(m * n, 0);
  for (size_t column = 0; column < n; ++column) {
    dy[column] = 0x1p40f;
    dy[17 * n + column] = 1.5f;
    dy[300 * n + column] = -0x1p40f;
    dy[599 * n + column] = 0x1p-8f;
  }
  BiasGradientOperands operands{m, n, dy, algrt::ElementType::F32};
  EXPECT_EQ(kernel.run(operands, {}).dbias, std::vector<float>(n, 1.5f + 0x1p-8f));
}

TEST(BiasGradientKernel, IsTheSameToTheBitOnEveryGrid) {
  const Kernel kernel(bias_gradient_threads);
  for (const int64_t m : {200, 1000}) {
    BiasGradientOperands operands;
    operands.m = m;
    operands.n = 130;
    operands.output = algrt::ElementType::F32;
    const std::vector<float> dy = randomBfloat16(m * operands.n, 5);
    operands.dy = dy;
    const std::vector<float> once = kernel.run(operands, {}).dbias;
    for (const int64_t blocks : {1, 2, 5, 40}) {
      BiasGradientSettings settings;
      settings.seed = static_cast<uint64_t>(blocks);
      settings.blocks = blocks;
      EXPECT_EQ(kernel.run(operands, settings).dbias, once) << blocks << " blocks";
    }
  }
}

// Rows whose distance in elements does not fit 32 bits: memory that is reserved and hardly used.
TEST(BiasGradientKernel, ReachesRowsFarApart) {
  const Kernel kernel(64);
  constexpr int64_t n = 5, leading = (int64_t{1} << 31) + 24;
  constexpr size_t bytes = 2 * (leading + n);
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto *dy = static_cast<uint16_t *>(memory);
  std::vector<float> dbias(n), expected;
  for (int64_t column = 0; column < n; ++column) {
    dy[column] = algrt::toBfloat16(static_cast<float>(column));
    dy[leading + column] = algrt::toBfloat16(0.5f);
    expected.push_back(static_cast<float>(column) + 0.5f);
  }
  simulator::GlobalMemory regions;
  regions.registerGlobal("row 0", dy, 2 * n, simulator::Access::Read);
  regions.registerGlobal("row 1", dy + leading, 2 * n, simulator::Access::Read);
  regions.registerGlobal("dbias", dbias.data(), 4 * n, simulator::Access::Write);
  auto planned =
      algrt::cuda::planBiasGradient({reinterpret_cast<uint64_t>(dy), leading, 2, n,
                                     reinterpret_cast<uint64_t>(dbias.data()), algrt::ElementType::F32, 0, 0})
          .at(0);
  void *arguments[] = {&planned.to,      &planned.from,      &planned.leading, &planned.rows,
                       &planned.columns, &planned.part_rows, &planned.form,    &planned.beta};
  simulator::Launch launch;
  launch.kernel = [&] { kernel.host->call(arguments); };
  launch.grid = planned.grid;
  launch.threads = 64;
  launch.shared_bytes = algrt_dbias_shared_bytes(64);
  const simulator::Report report = simulator::run(launch, regions);
  EXPECT_TRUE(report.ok()) << report.faults.front().text();
  EXPECT_EQ(dbias, expected);
  EXPECT_EQ(munmap(memory, bytes), 0);
}

// NaN and infinities stay in their column, and those of what is held count as soon as beta does.
TEST(BiasGradientKernel, KeepsNanAndInfinitiesInTheirColumns) {
  const Kernel kernel(128);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const int64_t m : {40, 530})
    for (const algrt::ElementType output : {algrt::ElementType::F32, algrt::ElementType::Bf16}) {
      BiasGradientOperands operands;
      operands.m = m;
      operands.n = 70;
      operands.output = output;
      std::vector<float> dy = randomBfloat16(m * operands.n, 3), held = randomBfloat16(operands.n, 4);
      dy[5 * 70 + 7] = nan;
      dy[6 * 70 + 69] = inf;
      dy[7 * 70 + 64] = inf;
      dy[static_cast<size_t>(m - 1) * 70 + 64] = -inf;
      held[3] = nan;
      held[4] = -inf;
      operands.dy = dy;
      expectRight(kernel, operands, {}, "not held");
      operands.held = held;
      operands.beta = 0.5f;
      expectRight(kernel, operands, {}, "held");
    }
}

} // namespace
