// The dialect as C++ sees it: attributes made from the values of algebras/, and back.
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "dialects/alg/alg.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace alg;

namespace {

class Builders : public testing::Test {
protected:
  Builders() { context.loadDialect<AlgDialect>(); }

  GroupsAttr groups(std::vector<int64_t> widths) {
    return GroupsAttr::get(&context, algebras::Groups::explicitWidths(std::move(widths)));
  }

  mlir::MLIRContext context;
};

TEST_F(Builders, EqualAlgebrasAreOneAttribute) {
  auto parsed = AlgebraAttr::get(&context, algebras::parseExpression("Q(2)*Q(2)"));
  auto built = AlgebraAttr::get(&context, algebras::power(algebras::completeGraph(2), 2));
  EXPECT_EQ(parsed, built);
  EXPECT_NE(parsed, AlgebraAttr::get(&context, algebras::completeGraph(4)));
  algebras::Field seven = algebras::Field::prime(7);
  EXPECT_NE(built, AlgebraAttr::get(&context, algebras::power(algebras::completeGraph(2, seven), 2)));
}

TEST_F(Builders, AlgebraKnowsItsFactsAndLifts) {
  auto algebra = AlgebraAttr::get(&context, algebras::parseExpression("Q(8)*M(2)"));
  EXPECT_TRUE(algebra.isAssociative());
  EXPECT_EQ(algebra.getFacts().dimension, 8 * 8 * 4);
  const algebras::Lift *rows = algebra.getLift(algebras::Lift::Kind::Rows);
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->types(), 8);
  EXPECT_EQ(rows->inputGroups(), 16);
  EXPECT_EQ(algebra.getLift(algebras::Lift::Kind::Slots)->inputGroups(), 8 * 8 * 4);
}

TEST_F(Builders, TablesHaveNoRowLift) {
  algebras::Table complex("complex", {}, 2, {{0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, -1}});
  auto algebra = AlgebraAttr::get(&context, algebras::tableAlgebra(complex));
  EXPECT_EQ(algebra.getLift(algebras::Lift::Kind::Rows), nullptr);
  EXPECT_NE(algebra.getLift(algebras::Lift::Kind::Slots), nullptr);
}

TEST_F(Builders, AllowanceOfAnAssociativeAlgebraIsDropped) {
  auto plain = AlgebraAttr::get(&context, algebras::path(3));
  EXPECT_EQ(plain, AlgebraAttr::get(&context, algebras::path(3), /*allowNonassociative=*/true));
}

TEST_F(Builders, GroupsComeBack) {
  for (const algebras::Groups &value :
       {algebras::Groups::equal(32, 64), algebras::Groups::explicitWidths({3, 5, 4}),
        algebras::Groups::equal(1, 7)}) {
    auto attribute = GroupsAttr::get(&context, value);
    EXPECT_EQ(attribute.getGroups(), value);
    EXPECT_EQ(attribute.getTotal(), value.total());
    for (int64_t group = 0; group < value.count(); ++group)
      EXPECT_EQ(attribute.getWidth(group), value.width(group));
  }
}

TEST_F(Builders, JoinedGroups) {
  EXPECT_EQ(groups({1, 2, 3, 4}).join(2), groups({3, 7}));
  EXPECT_EQ(groups({1, 2, 2, 1}).join(2), GroupsAttr::get(&context, algebras::Groups::equal(2, 3)));
  EXPECT_EQ(groups({6, 6, 6, 6}).join(4), GroupsAttr::get(&context, algebras::Groups::equal(1, 24)));
  EXPECT_FALSE(groups({1, 2, 3, 4}).join(3));
}

TEST_F(Builders, RowTypesComeBack) {
  using algebras::RowTypes;
  for (const RowTypes &value :
       {RowTypes::cyclic(32), RowTypes::interval(4, 192), RowTypes::explicitTypes(5)}) {
    auto attribute = RowTypesAttr::get(&context, value);
    EXPECT_EQ(attribute.getRowTypes(), value);
  }
  EXPECT_EQ(RowTypesAttr::get(&context, RowTypes::interval(4, 192)).getPeriod(), 768);
  EXPECT_EQ(RowTypesAttr::get(&context, RowTypes::explicitTypes(5)).getPeriod(), 0);
}

TEST_F(Builders, FeaturesOfEveryKindOfView) {
  auto f32 = mlir::Float32Type::get(&context);
  auto tensor = [&](std::initializer_list<int64_t> shape) { return mlir::RankedTensorType::get(shape, f32); };
  auto inputs = groups({3, 5}), outputs = groups({2, 4});
  auto weights = SlotsType::get(tensor({8, 6}), inputs, outputs);
  EXPECT_TRUE(weights.isWeights());
  EXPECT_EQ(weights.getWeightInputs(), inputs);
  EXPECT_EQ(weights.getFeatures(), outputs);
  auto plain_weights = SlotsType::get(tensor({4, 3, 5}), 4);
  EXPECT_TRUE(plain_weights.isWeights());
  EXPECT_EQ(plain_weights.getWeightInputs(), GroupsAttr::get(&context, algebras::Groups::equal(4, 3)));
  EXPECT_EQ(plain_weights.getFeatures(), GroupsAttr::get(&context, algebras::Groups::equal(4, 5)));
  auto plain = SlotsType::get(tensor({7, 12}), 4);
  EXPECT_TRUE(plain.isActivations());
  EXPECT_FALSE(plain.getWeightInputs());
  EXPECT_EQ(plain.getFeatures(), GroupsAttr::get(&context, algebras::Groups::equal(4, 3)));
  auto types = RowTypesAttr::get(&context, algebras::RowTypes::cyclic(2));
  EXPECT_EQ(SlotsType::get(tensor({7, 8}), types, inputs).getRowTypes(), types);
}

} // namespace
