// Sums over rows that are added to what their results held: kernels of the CPU and, on the simulator, of
// GPUs, compared with sums in double precision.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/simulator/elementwise.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/cpu/shared_object.h"
#include "runtime/kernel_abi.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/random.h"
#include "tests/compiler/elementwise/elementwise_function.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace elementwise_test;
using algrt::ElementType;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

TestFunction sumsOf(int64_t n, ElementType input, ElementType output) {
  const std::string in = algrt::name(input), out = algrt::name(output);
  return TestFunction(fmt::format(R"(
!v = !alg.slots<?x{0}x{1}, rows(cyclic 1), cols(1 x {0})>
func.func private @f(%x: tensor<?x{0}x{1}>) -> tensor<{0}x{2}> {{
  %v = alg.slots %x rows(cyclic 1) cols(1 x {0}) : tensor<?x{0}x{1}>
  %y = alg.reduce sum %v over rows : !v -> tensor<{0}x{2}>
  return %y : tensor<{0}x{2}>
}}
)",
                                  n, in, out),
                      "f", compiler::HeldResults::AddedTo);
}

std::vector<float> randomNumbers(int64_t count, uint64_t seed, ElementType type = ElementType::Bf16) {
  std::vector<float> values = algrt::randomValues(count, 1, seed);
  if (type == ElementType::Bf16)
    algrt::roundToBfloat16(values);
  return values;
}

void expectSums(const std::vector<float> &sums, const std::vector<float> &matrix,
                const std::vector<float> &held, float beta, ElementType output) {
  const compiler::Agreement found =
      compiler::agreement(sums, compiler::expectedSums(matrix, held, beta), output);
  EXPECT_EQ(found.wrong, 0) << "element " << found.first_wrong << " is "
                            << sums[static_cast<size_t>(std::max<int64_t>(found.first_wrong, 0))];
}

/// A kernel on the simulator.
class SimulatedSums {
public:
  SimulatedSums(int64_t n, ElementType output, compiler::Target target = compiler::Target::Sm90a)
      : function_(sumsOf(n, ElementType::Bf16, output)),
        program_(compiler::gpuElementwiseProgram(function_.described, target, compiler::CompileOptions())),
        kernel_(function_.description(), program_.kernel, program_.nvvm) {}

  std::vector<float> run(const std::vector<float> &matrix, int64_t m, const std::vector<float> &held,
                         float beta, const compiler::ElementwiseSettings &settings) const {
    const compiler::SimulatedElementwise made = kernel_.run({matrix, {beta}}, m, settings, {held});
    for (const simulator::Fault &fault : made.report.faults)
      ADD_FAILURE() << kernel_.explain(fault);
    EXPECT_EQ(made.unwritten, 0);
    return made.outputs.front();
  }

private:
  TestFunction function_;
  compiler::GpuElementwiseProgram program_;
  compiler::SimulatedElementwiseKernel kernel_;
};

// Fewer rows than are in flight, whole rounds of them, and with what is left over; columns of one block and
// of several, whole and not.
TEST(HeldSumsOfGpu, AgreeWithTheReference) {
  uint64_t seed = 0;
  for (const int64_t n : {3, 32, 71})
    for (const ElementType output : {ElementType::F32, ElementType::Bf16}) {
      const SimulatedSums simulated(n, output, n == 32 ? compiler::Target::Sm80 : compiler::Target::Sm90a);
      for (const int64_t m : {0, 1, 15, 17, 255, 300})
        for (const float beta : {0.0f, -0.3f}) {
          ++seed;
          SCOPED_TRACE(fmt::format("{} x {}, {}, beta {}", m, n, algrt::name(output), beta));
          const std::vector<float> matrix = randomNumbers(m * n, seed);
          // Where it does not count the simulator objects to its being read.
          const std::vector<float> held = randomNumbers(n, seed + 1000);
          compiler::ElementwiseSettings settings;
          settings.seed = seed;
          settings.blocks = static_cast<int64_t>(1 + seed % 3);
          settings.padding = static_cast<int64_t>(seed % 5);
          settings.shift = static_cast<int64_t>(seed % 7);
          settings.numbers_with_launch = seed % 2 == 0;
          expectSums(simulated.run(matrix, m, held, beta, settings), matrix, held, beta, output);
        }
    }
}

// Sums of f32 lose these: what is large comes and goes, and what is small is left.
TEST(HeldSumsOfGpu, AreInDoublePrecision) {
  constexpr int64_t m = 600, n = 3;
  const SimulatedSums simulated(n, ElementType::F32);
  std::vector<float> matrix(m * n, 0);
  for (size_t column = 0; column < n; ++column) {
    matrix[column] = 0x1p40f;
    matrix[17 * n + column] = 1.5f;
    matrix[599 * n + column] = 0x1p-8f;
  }
  EXPECT_EQ(simulated.run(matrix, m, std::vector<float>(n, 0x1p39f), -2, {}),
            std::vector<float>(n, 1.5f + 0x1p-8f));
}

// NaN and infinities stay in their column, and those of what is held count as soon as the factor does.
TEST(HeldSumsOfGpu, KeepNanAndInfinitiesInTheirColumns) {
  constexpr int64_t m = 40, n = 70;
  for (const ElementType output : {ElementType::F32, ElementType::Bf16}) {
    const SimulatedSums simulated(n, output);
    std::vector<float> matrix = randomNumbers(m * n, 3), held = randomNumbers(n, 4);
    matrix[5 * n + 7] = nan;
    matrix[6 * n + 69] = inf;
    matrix[7 * n + 64] = inf;
    matrix[(m - 1) * n + 64] = -inf;
    held[3] = nan;
    held[4] = -inf;
    for (const float beta : {0.0f, 0.5f})
      expectSums(simulated.run(matrix, m, held, beta, {}), matrix, held, beta, output);
  }
}

/// Numbers of a type in memory.
std::vector<unsigned char> bytesOf(const std::vector<float> &values, ElementType type) {
  std::vector<unsigned char> bytes(values.size() * static_cast<size_t>(algrt::elementBytes(type)));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t half = algrt::toBfloat16(values[i]);
    if (type == ElementType::F32)
      std::memcpy(&bytes[4 * i], &values[i], 4);
    else
      std::memcpy(&bytes[2 * i], &half, 2);
  }
  return bytes;
}

std::vector<float> numbersOf(const std::vector<unsigned char> &bytes, ElementType type) {
  std::vector<float> values(bytes.size() / static_cast<size_t>(algrt::elementBytes(type)));
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t half;
    if (type == ElementType::F32) {
      std::memcpy(&values[i], &bytes[4 * i], 4);
    } else {
      std::memcpy(&half, &bytes[2 * i], 2);
      values[i] = algrt::fromBfloat16(half);
    }
  }
  return values;
}

/// A kernel of the CPU.
class Compiled {
public:
  Compiled(int64_t n, ElementType input, ElementType output)
      : n_(n), input_(input), output_(output), function_(sumsOf(n, input, output)),
        code_(
            compiler::compileElementwiseForCpu(function_.described, "x86-64-v3", compiler::CompileOptions())),
        object_(code_.shared_object, "test"),
        entry_(reinterpret_cast<algrt_elementwise_kernel>(object_.symbol(code_.kernel.symbol))) {}

  /// With NaN between the rows, `padding` numbers, and tasks dealt out in pieces of so many, the last first.
  std::vector<float> run(const std::vector<float> &matrix, int64_t m, const std::vector<float> &held,
                         float beta, int64_t padding, int64_t piece) const {
    std::vector<float> padded(static_cast<size_t>(m * (n_ + padding)), nan);
    for (int64_t row = 0; row < m; ++row)
      std::copy_n(matrix.begin() + row * n_, n_, padded.begin() + row * (n_ + padding));
    std::vector<unsigned char> x = bytesOf(padded, input_), y = bytesOf(held, output_);
    const algrt_memref2 operands[] = {algrt::descriptor(algrt::MatrixView{x.data(), m, n_, n_ + padding}),
                                      algrt::descriptor(algrt::MatrixView{&beta, 1, 1, 1}),
                                      algrt::descriptor(algrt::MatrixView{y.data(), 1, n_, n_})};
    for (int64_t end = algrt::elementwiseTasks(code_.kernel, m, n_); end > 0; end -= piece)
      entry_(operands, m, n_, std::max<int64_t>(end - piece, 0), end);
    return numbersOf(y, output_);
  }

private:
  int64_t n_;
  ElementType input_, output_;
  TestFunction function_;
  compiler::ElementwiseCode code_;
  algrt::SharedObject object_;
  algrt_elementwise_kernel entry_;
};

TEST(HeldSumsOfCpu, AgreeWithTheReferenceWhateverTheThreads) {
  uint64_t seed = 0;
  for (const ElementType input : {ElementType::F32, ElementType::Bf16})
    for (const ElementType output : {ElementType::F32, ElementType::Bf16})
      for (const int64_t n : {5, 1301}) {
        const Compiled compiled(n, input, output);
        for (const int64_t m : {0, 1, 7, 8, 83})
          for (const float beta : {0.0f, -1.5f}) {
            SCOPED_TRACE(fmt::format("{} x {}, beta {}", m, n, beta));
            ++seed;
            const std::vector<float> matrix = randomNumbers(m * n, seed, input);
            // What does not count is not read.
            const std::vector<float> held = beta == 0 ? std::vector<float>(static_cast<size_t>(n), nan)
                                                      : randomNumbers(n, seed + 1000, output);
            const std::vector<float> sums = compiled.run(matrix, m, held, beta, 9, 1 << 20);
            expectSums(sums, matrix, held, beta, output);
            EXPECT_EQ(compiled.run(matrix, m, held, beta, 0, 1), sums);
          }
      }
}

TEST(HeldSumsOfCpu, KeepNanInItsColumn) {
  constexpr int64_t m = 83, n = 1301;
  const Compiled compiled(n, ElementType::F32, ElementType::F32);
  std::vector<float> matrix = randomNumbers(m * n, 5), held = randomNumbers(n, 6);
  matrix[5 * n + 7] = nan;
  matrix[6 * n + 300] = inf;
  held[11] = nan;
  expectSums(compiled.run(matrix, m, held, 0.5f, 2, 1), matrix, held, 0.5f, ElementType::F32);
}

} // namespace
