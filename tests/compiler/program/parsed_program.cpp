#include "tests/compiler/program/parsed_program.h"

#include "compiler/program/differentiate.h"
#include "compiler/program/value_names.h"
#include "dialects/alg/alg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using compiler::DenseArray;

namespace program_test {

ProgramContext::ProgramContext() {
  context.loadDialect<alg::AlgDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::math::MathDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> ProgramContext::parse(const std::string &text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  return module;
}

DenseArray randomArray(std::mt19937 &random, std::vector<int64_t> shape) {
  DenseArray array{std::move(shape), {}};
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t left = compiler::elementCount(array.shape); left > 0; --left)
    array.values.push_back(uniform(random));
  return array;
}

NamedArrays randomArguments(std::mt19937 &random, mlir::func::FuncOp function, int64_t rows, int64_t position,
                            int64_t types) {
  NamedArrays arrays;
  for (mlir::BlockArgument argument : function.getArguments()) {
    DenseArray &array = arrays[compiler::nameOf(argument).str()];
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!tensor) {
      array = {{}, {static_cast<double>(position)}};
      continue;
    }
    std::vector<int64_t> shape = tensor.getShape().vec();
    for (int64_t &size : shape)
      size = mlir::ShapedType::isDynamic(size) ? rows : size;
    array = randomArray(random, shape);
    if (tensor.getElementType().isInteger())
      for (double &value : array.values)
        value = std::floor((value + 1) / 2 * static_cast<double>(types));
  }
  return arrays;
}

std::vector<DenseArray> call(mlir::func::FuncOp function, const NamedArrays &named,
                             std::vector<DenseArray> unnamed) {
  std::vector<DenseArray> arguments;
  size_t next = 0;
  for (mlir::BlockArgument argument : function.getArguments()) {
    const std::string name = compiler::nameOf(argument).str();
    EXPECT_TRUE(named.contains(name) || next < unnamed.size()) << name;
    arguments.push_back(named.contains(name) ? named.at(name) : unnamed.at(next++));
  }
  EXPECT_EQ(next, unnamed.size());
  auto results = compiler::evaluate(function, arguments);
  EXPECT_TRUE(mlir::succeeded(results));
  return mlir::succeeded(results) ? *results : std::vector<DenseArray>();
}

double innerProduct(const DenseArray &a, const DenseArray &b) {
  EXPECT_EQ(a.shape, b.shape);
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); ++i)
    sum += a.values[i] * b.values[i];
  return sum;
}

namespace {

/// The derivative of the results' product with `weights` when one argument moves along a direction.
double centralDifference(mlir::func::FuncOp function, const NamedArrays &arguments, const std::string &name,
                         const DenseArray &direction, const std::vector<DenseArray> &weights) {
  constexpr double step = 1e-5;
  double difference = 0;
  for (const double sign : {1.0, -1.0}) {
    NamedArrays moved = arguments;
    for (size_t i = 0; i < direction.values.size(); ++i)
      moved[name].values[i] += sign * step * direction.values[i];
    const std::vector<DenseArray> results = call(function, moved);
    for (size_t i = 0; i < results.size(); ++i)
      difference += sign * innerProduct(results[i], weights[i]) / (2 * step);
  }
  return difference;
}

} // namespace

void checkGradients(mlir::func::FuncOp function, const NamedArrays &arguments, std::mt19937 &random) {
  compiler::GradientOptions options{.name = "gradient", .arguments = {}, .keeping = ""};
  for (mlir::BlockArgument argument : function.getArguments())
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
        tensor && mlir::isa<mlir::FloatType>(tensor.getElementType()))
      options.arguments.push_back(argument.getArgNumber());
  auto gradient = compiler::differentiate(function, options);
  ASSERT_TRUE(mlir::succeeded(gradient));
  options.name = "gradient_of_kept";
  options.keeping = "keeping";
  auto of_kept = compiler::differentiate(function, options);
  ASSERT_TRUE(mlir::succeeded(of_kept));
  auto module = function->getParentOfType<mlir::ModuleOp>();
  ASSERT_TRUE(mlir::succeeded(mlir::verify(module)));

  const std::vector<DenseArray> results = call(function, arguments);
  std::vector<DenseArray> weights;
  for (const DenseArray &result : results)
    weights.push_back(randomArray(random, result.shape));
  const std::vector<DenseArray> gradients = call(*gradient, arguments, weights);
  // What is kept follows the results.
  std::vector<DenseArray> kept = call(module.lookupSymbol<mlir::func::FuncOp>("keeping"), arguments);
  ASSERT_GE(kept.size(), results.size());
  EXPECT_TRUE(std::equal(results.begin(), results.end(), kept.begin()));
  std::copy(weights.begin(), weights.end(), kept.begin());
  EXPECT_EQ(call(*of_kept, arguments, kept), gradients);

  ASSERT_EQ(gradients.size(), options.arguments.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const std::string name = compiler::nameOf(function.getArgument(options.arguments[i])).str();
    const DenseArray direction = randomArray(random, arguments.at(name).shape);
    const double expected = centralDifference(function, arguments, name, direction, weights);
    EXPECT_NEAR(innerProduct(gradients[i], direction), expected, 1e-6 * (1 + std::fabs(expected))) << name;
  }
}

} // namespace program_test
