// (X W1) W2 = X (W1 W2): layers over an associative algebra compose. Rows of W1 in its group i have, as
// activations of the second layer, the type of row i of the position matrix.
#include "algebras/expression.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Groups;

compiler::Spec specOf(const std::string &expression, const Groups &in, const Groups &out) {
  algebras::Algebra algebra = algebras::parseExpression(expression);
  algebras::Lift lift = algebras::Lift::rows(algebra);
  algebras::RowTypes types = algebras::RowTypes::explicitTypes(lift.types());
  return {algebra, algebras::Layer{lift, in, out, DataType::F32, types}, false, expression};
}

Groups randomGroups(int64_t count, std::mt19937 &random) {
  std::vector<int64_t> widths;
  for (int64_t group = 0; group < count; ++group)
    widths.push_back(1 + static_cast<int64_t>(random() % 13));
  return Groups::explicitWidths(widths);
}

class Composition : public testing::TestWithParam<std::string> {};

TEST_P(Composition, OfTwoLayersIsTheLayerOfTheProduct) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  std::mt19937 random(11);
  const int64_t groups = algebras::Lift::rows(algebras::parseExpression(GetParam())).inputGroups();
  const Groups first = randomGroups(groups, random), middle = randomGroups(groups, random),
               last = randomGroups(groups, random);
  const compiler::Spec one = specOf(GetParam(), first, middle), two = specOf(GetParam(), middle, last),
                       both = specOf(GetParam(), first, last);
  const CompiledLayer compiled_one(one, "native"), compiled_two(two, "native"), compiled_both(both, "native");
  const algebras::Lift &lift = one.layer->lift;
  const int64_t m = 37;
  Batch batch{m, 0, {}}, rows_of_weights{first.total(), 0, {}};
  for (int64_t row = 0; row < m; ++row)
    batch.types.push_back(static_cast<int32_t>(random() % lift.types()));
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t row = 0; row < first.width(group); ++row)
      rows_of_weights.types.push_back(static_cast<int32_t>(lift.typeOfRow(group)));

  PaddedMatrix x(m, first.total(), 0, DataType::F32), w1(first.total(), middle.total(), 0, DataType::F32),
      w2(middle.total(), last.total(), 0, DataType::F32);
  x.fill(random);
  w1.fill(random);
  w2.fill(random);
  PaddedMatrix between(m, middle.total(), 0, DataType::F32), in_turn(m, last.total(), 0, DataType::F32),
      weights(first.total(), last.total(), 0, DataType::F32), at_once(m, last.total(), 0, DataType::F32);
  compiled_one.multiply(batch, x, w1, between, -1, 2);
  compiled_two.multiply(batch, between, w2, in_turn, -1, 2);
  compiled_two.multiply(rows_of_weights, w1, w2, weights, -1, 2);
  compiled_both.multiply(batch, x, weights, at_once, -1, 2);
  const std::vector<double> left = in_turn.values(), right = at_once.values();
  double difference = 0, norm = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    difference += (left[i] - right[i]) * (left[i] - right[i]);
    norm += left[i] * left[i];
  }
  EXPECT_GT(norm, 0);
  EXPECT_LE(std::sqrt(difference), 1e-5 * std::sqrt(norm));
}

INSTANTIATE_TEST_SUITE_P(Algebras, Composition,
                         testing::Values("Q(1)", "Q(5)", "T(4)", "path(4)", "graph(4; 0->1, 0->2, 2->3)",
                                         "M(3)", "Q(2)^2", "Q(3)*T(2)", "Q(2)*M(2)", "Q(3)+path(2)", "D(3)"),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return "Number" + std::to_string(info.index);
                         });

} // namespace
