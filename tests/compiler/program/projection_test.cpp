// The program of a projection: its gradients are what differentiation gives, with the operands that kernels
// have.
#include "compiler/program/projection.h"

#include "algebras/expression.h"
#include "compiler/program/value_names.h"
#include "tests/compiler/program/parsed_program.h"

#include <gtest/gtest.h>

namespace {

using namespace program_test;
using alg::OutputMode;

struct Form {
  std::string name;
  std::vector<std::string> operands;
  OutputMode mode;
};

std::vector<Form> formsOf(mlir::ModuleOp module) {
  std::vector<Form> forms;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    Form form{function.getSymName().str(), {}, OutputMode::Product};
    for (mlir::BlockArgument argument : function.getArguments())
      form.operands.push_back(compiler::nameOf(argument).str());
    // One contraction of views of the arguments, mapped where there is a bias, gathered and returned: what
    // kernels are written for.
    int contractions = 0;
    for (mlir::Operation &op : function.getBody().front()) {
      EXPECT_TRUE((mlir::isa<alg::SlotsOp, alg::GatherOp, alg::ContractOp, mlir::func::ReturnOp>(op)) ||
                  (mlir::isa<alg::MapOp>(op) && form.operands.back() == "bias"));
      if (auto contract = mlir::dyn_cast<alg::ContractOp>(op)) {
        ++contractions;
        form.mode = contract.getMode();
      }
    }
    EXPECT_EQ(contractions, 1) << form.name;
    forms.push_back(form);
  }
  return forms;
}

algebras::Layer makeLayer(const std::string &algebra, algebras::Lift::Kind kind) {
  const algebras::Algebra parsed = algebras::parseExpression(algebra);
  const algebras::Lift lift =
      kind == algebras::Lift::Kind::Rows ? algebras::Lift::rows(parsed) : algebras::Lift::slots(parsed);
  algebras::Layer layer = algebras::makeLayer(lift, 2 * lift.inputGroups(), 3 * lift.inputGroups());
  layer.row_types = algebras::RowTypes::cyclic(lift.types());
  return layer;
}

void expectForms(algebras::Layer layer, const std::vector<OutputMode> &modes,
                 const std::vector<Form> &expected) {
  ProgramContext program;
  auto module = compiler::buildProjection(program.context, layer, /*allow_nonassociative=*/false, modes);
  ASSERT_TRUE(module);
  const std::vector<Form> forms = formsOf(*module);
  ASSERT_EQ(forms.size(), expected.size());
  for (size_t i = 0; i < forms.size(); ++i) {
    EXPECT_EQ(forms[i].name, expected[i].name);
    EXPECT_EQ(forms[i].operands, expected[i].operands);
    EXPECT_EQ(forms[i].mode, expected[i].mode);
  }
}

const std::vector<OutputMode> all = {OutputMode::Product, OutputMode::ActivationGradient,
                                     OutputMode::WeightGradient};

TEST(Projection, HasTheGradientsOfItsProduct) {
  algebras::Layer layer = makeLayer("Q(3)", algebras::Lift::Kind::Rows);
  expectForms(layer, all,
              {{"forward", {"x", "w", "p0"}, OutputMode::Product},
               {"dx", {"dy", "w", "p0"}, OutputMode::ActivationGradient},
               {"dw", {"x", "dy", "p0"}, OutputMode::WeightGradient}});
  layer.bias = true;
  layer.dtype = algebras::DataType::BF16;
  layer.row_types = algebras::RowTypes::explicitTypes(3);
  expectForms(layer, all,
              {{"forward", {"x", "w", "types", "bias"}, OutputMode::Product},
               {"dx", {"dy", "w", "types"}, OutputMode::ActivationGradient},
               {"dw", {"x", "dy", "types"}, OutputMode::WeightGradient}});
}

// Sums stay in f32 until the bias has been added, and are rounded once.
TEST(Projection, RoundsTheSumOfProductAndBiasToItsResult) {
  algebras::Layer layer = makeLayer("Q(3)", algebras::Lift::Kind::Rows);
  layer.bias = true;
  layer.dtype = algebras::DataType::BF16;
  const auto elements_of = [&](std::optional<algebras::DataType> result) {
    ProgramContext program;
    auto module = compiler::buildProjection(program.context, layer, /*allow_nonassociative=*/false,
                                            {OutputMode::Product}, result);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto product = *function.getOps<alg::ContractOp>().begin();
    EXPECT_TRUE(product.getResult().getType().getElementType().isF32());
    const mlir::Type returned = function.getFunctionType().getResult(0);
    return mlir::cast<mlir::RankedTensorType>(returned).getElementType().isF32() ? algebras::DataType::F32
                                                                                 : algebras::DataType::BF16;
  };
  EXPECT_EQ(elements_of({}), algebras::DataType::BF16);
  EXPECT_EQ(elements_of(algebras::DataType::BF16), algebras::DataType::BF16);
  EXPECT_EQ(elements_of(algebras::DataType::F32), algebras::DataType::F32);
}

TEST(Projection, HasTheFunctionsThatAreAskedFor) {
  const algebras::Layer layer = makeLayer("T(2)", algebras::Lift::Kind::Slots);
  expectForms(layer, {OutputMode::WeightGradient}, {{"dw", {"x", "dy"}, OutputMode::WeightGradient}});
  expectForms(layer, {OutputMode::ActivationGradient}, {{"dx", {"dy", "w"}, OutputMode::ActivationGradient}});
  expectForms(layer, {OutputMode::Product}, {{"forward", {"x", "w"}, OutputMode::Product}});
}

TEST(Projection, OverAnAlgebraThatIsNotAssociativeHasGradients) {
  ProgramContext program;
  const algebras::Layer layer = makeLayer(R"(table({"dimension":2,"constants":[[0,0,1,"1"],[1,0,0,"1"]]}))",
                                          algebras::Lift::Kind::Slots);
  auto module = compiler::buildProjection(program.context, layer, /*allow_nonassociative=*/true, all);
  ASSERT_TRUE(module);
  EXPECT_EQ(formsOf(*module).size(), 3U);
}

} // namespace
