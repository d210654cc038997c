// Functions of several products and maps of their sums, as one kernel of the CPU: compiled, run in every
// form, and compared with what they mean. Nothing is rounded in them, so that every bit has to agree.
#include "compiler/lower/product_function.h"
#include "compiler/program/evaluate.h"
#include "tests/compiler/compiled_module.h"
#include "tests/compiler/emulated_amx.h"
#include "tests/compiler/fused_program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace compiler_test;
using compiler::DenseArray;

/// A matrix in memory, behind each row some elements that nobody may read or write.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns, bool bf16, int64_t padding = 3)
      : rows(rows), columns(columns), stride(columns + padding), bf16(bf16),
        bytes_(static_cast<size_t>(rows * stride) * (bf16 ? 2 : 4) + 64, static_cast<char>(0xff)) {
    start_ = bytes_.data() + (64 - reinterpret_cast<uintptr_t>(bytes_.data()) % 64) % 64;
  }
  Matrix(const DenseArray &array, int64_t rows, bool bf16)
      : Matrix(rows, static_cast<int64_t>(array.values.size()) / std::max<int64_t>(1, rows), bf16) {
    for (int64_t i = 0; i < rows * columns; ++i)
      set(i / columns, i % columns, array.values[static_cast<size_t>(i)]);
  }
  Matrix(const Matrix &) = delete;
  Matrix(Matrix &&) = default;

  void set(int64_t row, int64_t column, double value) {
    uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    if (bf16)
      bits >>= 16;
    std::memcpy(at(row, column), &bits, bf16 ? 2 : 4);
  }
  double get(int64_t row, int64_t column) const {
    uint32_t bits = 0;
    std::memcpy(&bits, at(row, column), bf16 ? 2 : 4);
    return static_cast<double>(std::bit_cast<float>(bf16 ? bits << 16 : bits));
  }
  bool paddingIntact() const {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = columns; column < stride; ++column) {
        uint32_t bits = 0;
        std::memcpy(&bits, at(row, column), bf16 ? 2 : 4);
        if (bits != (bf16 ? 0xffffu : 0xffffffffu))
          return false;
      }
    return true;
  }
  algrt_memref2 descriptor() const { return {start_, start_, 0, {rows, columns}, {stride, 1}}; }

  int64_t rows, columns, stride;
  bool bf16;

private:
  char *at(int64_t row, int64_t column) const { return start_ + (row * stride + column) * (bf16 ? 2 : 4); }
  std::vector<char> bytes_;
  char *start_;
};

/// Whole numbers up to `most` in magnitude.
DenseArray randomArray(std::mt19937 &random, std::vector<int64_t> shape, int most) {
  DenseArray array{std::move(shape), {}};
  array.values.resize(static_cast<size_t>(compiler::elementCount(array.shape)));
  for (double &value : array.values)
    value = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
  return array;
}

/// One call of a program: its arguments, and where its rows are.
struct Call {
  int64_t m, p0;
  std::vector<DenseArray> arguments;
  std::vector<int64_t> types; ///< of each row
  std::vector<int64_t> rows, starts;
  int64_t longest = 0;

  Call(std::mt19937 &random, const FusedProgram &program) {
    const FusedLayer &layer = program.layer;
    m = 1 + static_cast<int64_t>(random() % 40);
    p0 = static_cast<int64_t>(random() % 50);
    for (int64_t row = 0; row < m; ++row)
      types.push_back(layer.width == 0 ? static_cast<int64_t>(random()) % layer.types
                      : layer.slots    ? 0
                                       : layer.typeAt(p0 + row));
    for (int64_t type = 0; type < layer.types; ++type)
      longest = std::max<int64_t>(longest, std::count(types.begin(), types.end(), type));
    for (const FusedArgument &argument : program.arguments)
      arguments.push_back(valueOf(random, program, argument));
    // Rows in lists, which have no position of their own.
    if (layer.width == 0 || (!layer.slots && random() % 3 == 0)) {
      starts = {0};
      for (int64_t type = 0; type < layer.types; ++type) {
        for (int64_t row = 0; row < m; ++row)
          if (types[static_cast<size_t>(row)] == type)
            rows.push_back(row);
        starts.push_back(static_cast<int64_t>(rows.size()));
      }
      p0 = 0;
    }
  }

private:
  DenseArray valueOf(std::mt19937 &random, const FusedProgram &program, const FusedArgument &argument) {
    const FusedLayer &layer = program.layer;
    const int64_t width = program.transposed || argument.last ? layer.k : layer.n;
    switch (argument.kind) {
    case FusedArgument::Kind::Rows:
      return randomArray(random, {m, argument.columns}, 1);
    case FusedArgument::Kind::Weights:
      return layer.slots     ? randomArray(random, {2, layer.k / 2, layer.n / 2}, 1)
             : argument.last ? randomArray(random, {layer.n, layer.k}, 1)
                             : randomArray(random, {layer.k, layer.n}, 1);
    case FusedArgument::Kind::Columns:
      return randomArray(random, {width}, 4);
    case FusedArgument::Kind::RowVector:
      return randomArray(random, {m}, 4);
    case FusedArgument::Kind::Number:
      return randomArray(random, {}, 4);
    case FusedArgument::Kind::Types:
      return {{m}, {types.begin(), types.end()}};
    case FusedArgument::Kind::Position:
      return {{}, {static_cast<double>(p0)}};
    }
    return {};
  }
};

/// An argument as kernels take it.
Matrix matrixOf(const FusedProgram &program, const Call &call, size_t number) {
  const FusedArgument &argument = program.arguments[number];
  const DenseArray &array = call.arguments[number];
  const bool rows =
      argument.kind == FusedArgument::Kind::Rows || argument.kind == FusedArgument::Kind::RowVector;
  const bool weights = argument.kind == FusedArgument::Kind::Weights;
  const int64_t depth = argument.last ? program.layer.n : program.layer.k;
  return Matrix(array, rows ? call.m : weights ? depth : 1, argument.bf16);
}

void runAndCompare(const FusedProgram &program, const CompiledModule &module, const std::string &name,
                   const compiler::ProductFunction &description, const Call &call,
                   const std::vector<DenseArray> &expected) {
  SCOPED_TRACE(name);
  std::vector<Matrix> matrices, results;
  std::vector<algrt_memref2> operands;
  auto add = [&](const std::string &operand) {
    for (size_t number = 0; number < program.arguments.size(); ++number)
      if (std::ranges::count(description.arguments[number], operand)) {
        matrices.push_back(matrixOf(program, call, number));
        operands.push_back(matrices.back().descriptor());
        return;
      }
    ADD_FAILURE() << "no argument is " << operand;
  };
  add(program.transposed ? "dy" : "x");
  for (int64_t weight = 0; weight < description.fusion.allWeights(); ++weight) {
    add(algrt::numberedName("w", weight));
    if (name != "f_packed")
      continue;
    const CompiledKernel &pack =
        module.kernel(description.fusion.layerOf(weight) == 0 ? "f_pack" : "f_pack_next");
    Matrix packed(1, pack.packed_bytes / (program.bf16 ? 2 : 4), program.bf16, 0);
    const algrt_memref2 from = operands.back(), to = packed.descriptor();
    reinterpret_cast<algrt_pack_kernel>(pack.code)(&from, &to, 0, program.layer.weight_groups);
    matrices.push_back(std::move(packed));
    operands.back() = to;
  }
  for (const algrt::FusedOperand &operand : description.fusion.operands)
    add(operand.name);
  for (const algrt::ElementType result : description.fusion.results) {
    const bool backwards = program.transposed || description.fusion.next;
    results.emplace_back(call.m, backwards ? program.layer.k : program.layer.n,
                         result == algrt::ElementType::Bf16);
    operands.push_back(results.back().descriptor());
  }
  module.multiply(name, operands, call.longest, program.layer.types, call.p0, call.rows, call.starts);
  ASSERT_EQ(results.size(), expected.size());
  for (size_t result = 0; result < results.size(); ++result) {
    const Matrix &matrix = results[result];
    EXPECT_TRUE(matrix.paddingIntact());
    for (int64_t i = 0; i < matrix.rows * matrix.columns; ++i)
      ASSERT_EQ(matrix.get(i / matrix.columns, i % matrix.columns),
                expected[result].values[static_cast<size_t>(i)])
          << "result " << result << ", row " << i / matrix.columns << ", column " << i % matrix.columns;
  }
}

/// Returns whether a kernel multiplies by the matrix unit.
bool check(const FusedProgram &program, std::mt19937 &random, Machine machine = Machine::Plain) {
  SCOPED_TRACE(program.text);
  ModuleContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = context.parse(program.text);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  const auto description = compiler::matchProductFunction(function);
  if (mlir::failed(description)) {
    ADD_FAILURE() << "the program is no kernel";
    return false;
  }
  const CompiledModule compiled(*module, machine);
  bool amx = false;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Call call(random, program);
    const auto expected = compiler::evaluate(function, call.arguments);
    if (mlir::failed(expected)) {
      ADD_FAILURE() << "the program has no value";
      return amx;
    }
    for (const char *name : {"f", "f_packed", "f_copied", "f_direct"})
      if (compiled.has(name)) {
        runAndCompare(program, compiled, name, *description, call, *expected);
        amx = amx || compiled.kernel(name).amx;
      }
    EXPECT_THAT(takeAmxFaults(), testing::IsEmpty());
    EXPECT_EQ(compiled.has("f"), program.transposed);
    EXPECT_EQ(compiled.has("f_packed"), !program.transposed);
  }
  return amx;
}

class FusedKernels : public testing::TestWithParam<size_t> {};

TEST_P(FusedKernels, ComputeWhatTheirFunctionsMean) {
  std::mt19937 random(static_cast<unsigned>(GetParam()) + 1);
  for (const bool transposed : {false, true})
    for (const bool bf16 : {false, true})
      for (int repeat = 0; repeat < 2; ++repeat)
        check(randomFusedProgram(random, fusedLayers()[GetParam()], transposed, bf16), random);
}

INSTANTIATE_TEST_SUITE_P(Layers, FusedKernels, testing::Range(size_t{0}, fusedLayers().size()));

class FusedNetworks : public testing::TestWithParam<size_t> {};

TEST_P(FusedNetworks, ComputeWhatTheirFunctionsMean) {
  std::mt19937 random(static_cast<unsigned>(GetParam()) + 101);
  for (const bool bf16 : {false, true})
    for (int repeat = 0; repeat < 2; ++repeat)
      check(randomNetwork(random, fusedLayers()[GetParam()], bf16), random);
}

/// The layers of a kernel are in the lift by rows.
std::vector<size_t> layersByRows() {
  std::vector<size_t> numbers;
  for (size_t number = 0; number < fusedLayers().size(); ++number)
    if (!fusedLayers()[number].slots)
      numbers.push_back(number);
  return numbers;
}
INSTANTIATE_TEST_SUITE_P(Layers, FusedNetworks, testing::ValuesIn(layersByRows()));

/// Layers whose coefficients are 1: products with others are multiplied by vectors on that level, too. Groups
/// that fill no block of 32 depths, or several and a part of one.
const std::vector<FusedLayer> &layersOfAmx() {
  static const std::vector<FusedLayer> layers = [] {
    std::vector<FusedLayer> all = {{"Q(2)", false, "2 x 70", "2 x 40", 140, 80, 2, 1, 2},
                                   {"T(3)", false, "[33, 64, 31]", "[48, 17, 80]", 128, 145, 3, 2, 3}};
    for (const size_t number : layersByRows())
      all.push_back(fusedLayers()[number]);
    return all;
  }();
  return layers;
}

class KernelsOfAmx : public testing::TestWithParam<size_t> {};

TEST_P(KernelsOfAmx, ComputeWhatTheirFunctionsMean) {
  const FusedLayer &layer = layersOfAmx()[GetParam()];
  for (const Machine machine : machinesOfAmx()) {
    SCOPED_TRACE(machine == Machine::Amx ? "in hardware" : "in software");
    std::mt19937 random(static_cast<unsigned>(GetParam()) + 201);
    int64_t multiplied = 0; // by AMX; of the narrowest groups vectors may be expected to be faster
    for (const bool transposed : {false, true})
      multiplied += check(randomFusedProgram(random, layer, transposed, /*bf16=*/true), random, machine);
    for (int repeat = 0; repeat < 2; ++repeat)
      multiplied += check(randomNetwork(random, layer, /*bf16=*/true), random, machine);
    EXPECT_GE(multiplied, layer.k < 100 ? 1 : 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, KernelsOfAmx, testing::Range(size_t{0}, layersOfAmx().size()));

} // namespace
