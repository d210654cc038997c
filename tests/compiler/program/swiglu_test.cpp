// The program `swiglu`: its values by formula, and its gradients.
#include "compiler/program/swiglu.h"

#include "algebras/expression.h"
#include "compiler/program/value_names.h"
#include "tests/compiler/program/parsed_program.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

namespace {

using namespace compiler;
using namespace program_test;

double activate(const std::string &name, double x) {
  if (name == "silu")
    return x / (1 + std::exp(-x));
  if (name == "gelu")
    return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  if (name == "gelu_tanh")
    return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
  if (name == "relu")
    return std::fmax(x, 0);
  if (name == "relu2")
    return std::fmax(x, 0) * std::fmax(x, 0);
  return x;
}

Swiglu makeProgram(const std::string &algebra, algebras::Lift::Kind kind) {
  const algebras::Algebra parsed = algebras::parseExpression(algebra);
  const algebras::Lift lift =
      kind == algebras::Lift::Kind::Rows ? algebras::Lift::rows(parsed) : algebras::Lift::slots(parsed);
  const int64_t groups = lift.inputGroups();
  return {.lift = lift,
          .in = algebras::Groups::equal(groups, 2),
          .hidden = algebras::Groups::equal(groups, 3),
          .out = algebras::Groups::equal(groups, 1),
          .row_types = algebras::RowTypes::cyclic(lift.types())};
}

// Over the field all products are dense.
TEST(Swiglu, IsItsFormula) {
  ProgramContext program;
  std::mt19937 random(1);
  for (const std::string &activation : algrt::activationNames())
    for (const bool gate : {false, true}) {
      SCOPED_TRACE(activation);
      Swiglu swiglu = makeProgram("M(1)", algebras::Lift::Kind::Rows);
      swiglu.activation = algrt::activationNamed(activation);
      swiglu.gate = gate;
      swiglu.bias = true;
      auto module = buildSwiglu(program.context, swiglu);
      ASSERT_TRUE(module);
      auto forward = module->lookupSymbol<mlir::func::FuncOp>("forward");
      NamedArrays arguments = randomArguments(random, forward, 2, 0, 1);
      const std::vector<DenseArray> results = call(forward, arguments);
      ASSERT_EQ(results.size(), 1U);
      ASSERT_EQ(results.front().shape, (std::vector<int64_t>{2, 1}));
      const auto at = [&](const char *name, size_t i) { return arguments.at(name).values[i]; };
      for (size_t row = 0; row < 2; ++row) {
        double y = at("down_bias", 0);
        for (size_t h = 0; h < 3; ++h) {
          const auto sum = [&](const char *weights, const char *bias) {
            return at("x", 2 * row) * at(weights, h) + at("x", 2 * row + 1) * at(weights, 3 + h) +
                   at(bias, h);
          };
          const double hidden = gate ? activate(activation, sum("gate", "gate_bias")) * sum("up", "up_bias")
                                     : activate(activation, sum("up", "up_bias"));
          y += hidden * at("down", h);
        }
        // Constants of the program are f32.
        EXPECT_NEAR(results.front().values[row], y, 1e-6);
      }
    }
}

TEST(Swiglu, HasGradients) {
  ProgramContext program;
  std::mt19937 random(4);
  for (const auto kind : {algebras::Lift::Kind::Rows, algebras::Lift::Kind::Slots})
    for (const auto dtype : {algebras::DataType::F32, algebras::DataType::BF16})
      for (const bool bias : {false, true}) {
        Swiglu swiglu = makeProgram("Q(2)", kind);
        swiglu.dtype = dtype;
        swiglu.bias = bias;
        auto module = buildSwiglu(program.context, swiglu);
        ASSERT_TRUE(module);
        auto forward = module->lookupSymbol<mlir::func::FuncOp>("forward");
        checkGradients(forward, randomArguments(random, forward, 5, 1, 2), random);
      }
}

TEST(Swiglu, HasTheOperandsOfItsContract) {
  ProgramContext program;
  Swiglu swiglu = makeProgram("Q(2)", algebras::Lift::Kind::Rows);
  swiglu.row_types = algebras::RowTypes::explicitTypes(2);
  swiglu.bias = true;
  auto module = buildSwiglu(program.context, swiglu);
  ASSERT_TRUE(module);
  std::vector<std::string> names;
  for (mlir::BlockArgument argument : module->lookupSymbol<mlir::func::FuncOp>("forward").getArguments())
    names.push_back(nameOf(argument).str());
  EXPECT_EQ(names, (std::vector<std::string>{"x", "gate", "up", "down", "types", "gate_bias", "up_bias",
                                             "down_bias"}));
  EXPECT_THROW(algrt::activationNamed("swish"), std::out_of_range);
}

} // namespace
