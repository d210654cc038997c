// Element-wise kernels of the CPU: compiled, run as several threads would, and compared with double
// precision.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/cpu/shared_object.h"
#include "runtime/kernel_abi.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/compiler/elementwise/elementwise_function.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace elementwise_test;
using compiler::DenseArray;

/// An operand in memory: rows some distance apart, with a pattern around and between them that nobody may
/// change.
class Memory {
public:
  Memory(const algrt::ElementwiseOperand &operand, int64_t rows, int64_t m, std::mt19937 &random)
      : type_(operand.type) {
    const int64_t last = lengthOf(operand.shape.back(), m);
    using Per = algrt::FusedOperand::Per;
    this->rows_ = operand.per == Per::Element ? rows : operand.per == Per::Row ? last : 1;
    columns_ = operand.per == Per::Row ? 1 : last;
    stride_ = columns_ + (operand.per == Per::Element ? static_cast<int64_t>(random() % 3) : 0);
    first_ = static_cast<int64_t>(random() % 4);
    bytes.assign(static_cast<size_t>((first_ + this->rows_ * stride_ + 3) * algrt::elementBytes(type_)),
                 0xA5);
  }

  void set(const std::vector<double> &values) {
    for (int64_t i = 0; i < rows_ * columns_; ++i) {
      const auto value = static_cast<float>(values[static_cast<size_t>(i)]);
      const uint16_t half = algrt::toBfloat16(value);
      if (type_ == algrt::ElementType::F32)
        std::memcpy(place(i), &value, sizeof(value));
      else
        std::memcpy(place(i), &half, sizeof(half));
    }
  }
  std::vector<double> values() {
    std::vector<double> values;
    for (int64_t i = 0; i < rows_ * columns_; ++i) {
      float value;
      uint16_t half;
      std::memcpy(&value, place(i), sizeof(value) / (type_ == algrt::ElementType::F32 ? 1 : 2));
      std::memcpy(&half, place(i), sizeof(half));
      values.push_back(type_ == algrt::ElementType::F32 ? value : algrt::fromBfloat16(half));
    }
    return values;
  }
  algrt_memref2 descriptor() {
    return algrt::descriptor(algrt::MatrixView{place(0), rows_, columns_, stride_});
  }

  /// That what is no element still has its pattern.
  bool isIntact() {
    Memory copy = *this;
    for (int64_t i = 0; i < rows_ * columns_; ++i)
      std::memset(copy.place(i), 0xA5, static_cast<size_t>(algrt::elementBytes(type_)));
    return std::all_of(copy.bytes.begin(), copy.bytes.end(), [](unsigned char byte) { return byte == 0xA5; });
  }

  std::vector<unsigned char> bytes;

private:
  unsigned char *place(int64_t i) {
    const int64_t at = columns_ == 0 ? first_ : first_ + i / columns_ * stride_ + i % columns_;
    return bytes.data() + at * algrt::elementBytes(type_);
  }
  algrt::ElementType type_;
  int64_t rows_, columns_, stride_, first_;
};

/// A compiled function.
class Kernel {
public:
  explicit Kernel(const compiler::ElementwiseFunction &function, const std::string &level = "x86-64-v3")
      : description(function.description),
        code_(compiler::compileElementwiseForCpu(function, level, compiler::CompileOptions())),
        object_(code_.shared_object, "test"),
        entry_(reinterpret_cast<algrt_elementwise_kernel>(object_.symbol(code_.kernel.symbol))) {}

  /// The operands after a call, tasks dealt out in pieces of so many, the last ones first.
  std::vector<Memory> call(const TestFunction &function, const std::vector<DenseArray> &arguments, int64_t m,
                           int64_t piece, unsigned seed) const {
    std::mt19937 random(seed);
    const int64_t rows = lengthOf(description.rows, m), columns = lengthOf(description.columns, m);
    std::vector<Memory> operands;
    for (const algrt::ElementwiseOperand &operand : description.operands) {
      operands.emplace_back(operand, rows, m, random);
      if (operand.role == algrt::OperandRole::Input)
        operands.back().set(arguments[function.argumentOf(operand.name)].values);
    }
    std::vector<algrt_memref2> descriptors;
    for (Memory &operand : operands)
      descriptors.push_back(operand.descriptor());
    const int64_t tasks = algrt::elementwiseTasks(code_.kernel, rows, columns);
    for (int64_t end = tasks; end > 0; end -= piece)
      entry_(descriptors.data(), rows, columns, std::max<int64_t>(end - piece, 0), end);
    return operands;
  }

  /// The numbers of the results.
  std::vector<std::vector<double>> results(const TestFunction &function,
                                           const std::vector<DenseArray> &arguments, int64_t m) const {
    std::vector<std::vector<double>> values;
    std::vector<Memory> operands = call(function, arguments, m, std::numeric_limits<int64_t>::max() / 2, 1);
    for (size_t i = 0; i < operands.size(); ++i)
      if (description.operands[i].role == algrt::OperandRole::Output)
        values.push_back(operands[i].values());
    return values;
  }

  const algrt::Elementwise description;

private:
  compiler::ElementwiseCode code_;
  algrt::SharedObject object_;
  algrt_elementwise_kernel entry_;
};

/// Whether the machine running the test has AVX-512.
std::vector<std::string> levels() {
  std::vector<std::string> usable = {"x86-64-v3"};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd"))
    usable.push_back("x86-64-v4");
  return usable;
}

TEST(ElementwiseCpu, ComputesRandomFunctionsExactlyWhateverTheThreads) {
  std::mt19937 random(7);
  for (int repetition = 0; repetition < 40; ++repetition) {
    const std::string text = randomFunction(random);
    SCOPED_TRACE(text);
    TestFunction function(text);
    for (const std::string &level : levels()) {
      SCOPED_TRACE(level);
      const Kernel kernel(function.described, level);
      for (const int64_t m : {0, 1, 5, 70}) {
        SCOPED_TRACE(m);
        const auto arguments = function.wholeArguments(random, m);
        const auto expected = function.evaluate(arguments);
        std::vector<Memory> whole = kernel.call(function, arguments, m, 1 << 30, 3);
        std::vector<Memory> pieces = kernel.call(function, arguments, m, 1, 3);
        size_t result = 0;
        for (size_t i = 0; i < whole.size(); ++i) {
          EXPECT_EQ(whole[i].bytes, pieces[i].bytes) << kernel.description.operands[i].name;
          EXPECT_TRUE(whole[i].isIntact());
          if (kernel.description.operands[i].role == algrt::OperandRole::Input)
            continue;
          std::vector<double> wanted = expected[result++].values;
          for (double &value : wanted)
            value = rounded(value, kernel.description.operands[i].type);
          ASSERT_EQ(whole[i].values(), wanted);
        }
        EXPECT_EQ(result, expected.size());
      }
    }
  }
}

constexpr const char *softmax_sum = R"(
!v = !alg.slots<?x300xbf16, rows(cyclic 3), cols(3 x 100)>
!w = !alg.slots<?x300xf32, rows(cyclic 3), cols(3 x 100)>
func.func private @f(%scores: tensor<?x300xbf16>, %largest: tensor<?xf32>, %p0: index) -> tensor<?xf32> {
  %v = alg.slots %scores rows(cyclic 3, %p0) cols(3 x 100) : tensor<?x300xbf16>
  %m = alg.map %v rows %largest : (!v, tensor<?xf32>) -> !w {
  ^bb0(%a: bf16, %b: f32):
    %c = arith.extf %a : bf16 to f32
    %d = arith.subf %c, %b : f32
    %e = math.exp %d : f32
    alg.yield %e : f32
  }
  %y = alg.reduce sum %m over columns : !w -> tensor<?xf32>
  return %y : tensor<?xf32>
}
)";

TEST(ElementwiseCpu, ExpandsFunctionsOfMath) {
  TestFunction function(softmax_sum);
  const Kernel kernel(function.described);
  std::mt19937 random(1);
  const auto arguments = function.wholeArguments(random, 9);
  const auto expected = function.evaluate(arguments);
  const auto results = kernel.results(function, arguments, 9);
  for (size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(results[0][i], expected[0].values[i], 1e-6 * expected[0].values[i]);
  // p0 is not read.
  EXPECT_EQ(function.described.arguments, (std::vector<std::string>{"x", "x2", ""}));
  EXPECT_EQ(function.described.results, std::vector<std::string>{"y"});
}

/// Sums per column of so many rows.
std::string columnSums(const char *type) {
  std::string text = R"(
!v = !alg.slots<?x20xTYPE, rows(cyclic 2), cols(2 x 10)>
func.func private @f(%dy: tensor<?x20xTYPE>) -> tensor<20xTYPE> {
  %v = alg.slots %dy rows(cyclic 2) cols(2 x 10) : tensor<?x20xTYPE>
  %y = alg.reduce sum %v over rows : !v -> tensor<20xTYPE>
  return %y : tensor<20xTYPE>
}
)";
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, type);
  return text;
}

TEST(ElementwiseCpu, SumsManyRowsInDoublePrecision) {
  TestFunction function(columnSums("f32"));
  const Kernel kernel(function.described);
  // In f32 alone a million ones and a large number would be the large number.
  constexpr int64_t m = 100003;
  std::vector<DenseArray> arguments = {{{m, 20}, std::vector<double>(m * 20, 1.0)}};
  for (size_t column = 0; column < 20; ++column)
    arguments[0].values[column] = 1 << 30;
  const auto results = kernel.results(function, arguments, m);
  EXPECT_EQ(results[0], std::vector<double>(20, static_cast<float>((1 << 30) + m - 1)));
}

constexpr const char *maxima = R"(
!v = !alg.slots<?x20xbf16, rows(cyclic 2), cols(2 x 10)>
func.func private @f(%x: tensor<?x20xbf16>) -> tensor<?xbf16> {
  %v = alg.slots %x rows(cyclic 2) cols(2 x 10) : tensor<?x20xbf16>
  %y = alg.reduce maximum %v over columns : !v -> tensor<?xbf16>
  return %y : tensor<?xbf16>
}
)";

TEST(ElementwiseCpu, MaximaAreNanWhereAnElementIs) {
  TestFunction function(maxima);
  const Kernel kernel(function.described);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  for (size_t column = 0; column < 20; ++column) {
    std::vector<DenseArray> arguments = {{{4, 20}, std::vector<double>(80, -2.0)}};
    arguments[0].values[column] = nan;
    arguments[0].values[20 + column] = -inf;
    arguments[0].values[40 + column] = inf;
    std::fill(arguments[0].values.begin() + 60, arguments[0].values.end(), -inf);
    const auto results = kernel.results(function, arguments, 4);
    EXPECT_TRUE(std::isnan(results[0][0]));
    EXPECT_EQ(results[0][1], -2.0);
    EXPECT_EQ(results[0][2], inf);
    EXPECT_EQ(results[0][3], -inf);
  }
}

TEST(ElementwiseCpu, KeepsSubnormalsAndInfinities) {
  for (const char *type : {"f32", "bf16"}) {
    TestFunction function(columnSums(type));
    const Kernel kernel(function.described);
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double least = std::ldexp(1.0, std::string(type) == "f32" ? -149 : -133);
    std::vector<DenseArray> arguments = {{{2, 20}, std::vector<double>(40, least)}};
    arguments[0].values[3] = inf;
    arguments[0].values[4] = inf;
    arguments[0].values[24] = -inf;
    const auto results = kernel.results(function, arguments, 2);
    EXPECT_EQ(results[0][0], 2 * least) << type;
    EXPECT_EQ(results[0][3], inf);
    EXPECT_TRUE(std::isnan(results[0][4]));
  }
}

} // namespace
