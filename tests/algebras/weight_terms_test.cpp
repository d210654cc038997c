#include "algebras/weight_terms.h"

#include "algebras/constructions.h"
#include "tests/algebras/random_algebra.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <tuple>

namespace {

using namespace algebras;

using Key = std::tuple<int64_t, int64_t, int64_t, int64_t>;

// Every term of the lift is a term of the block that it reads, once, and there are no others.
void expectTermsOf(const Lift &lift) {
  const WeightTerms weights(lift);
  const bool rows = lift.kind() == Lift::Kind::Rows;
  ASSERT_EQ(weights.weightRows(), lift.weightRows());
  ASSERT_EQ(weights.weightColumns(), rows ? lift.outputGroups() : 1);
  std::map<Key, Rational> expected, actual;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const BlockTerm &term : lift.terms(type, group))
        expected[{term.weight_row, type, group, term.input_group}] += term.coefficient;
  for (int64_t row = 0; row < weights.weightRows(); ++row)
    for (int64_t column = 0; column < weights.weightColumns(); ++column) {
      auto of = weights.of(row, column);
      auto key = [](const WeightTerm &term) {
        return std::tuple(term.type, term.output_group, term.input_group);
      };
      EXPECT_TRUE(std::ranges::is_sorted(of, {}, key)) << "block " << row << ", " << column;
      for (const WeightTerm &term : of) {
        if (rows)
          EXPECT_EQ(term.output_group, column);
        actual[{row, term.type, term.output_group, term.input_group}] += term.coefficient;
      }
    }
  EXPECT_EQ(actual, expected);
}

TEST(WeightTerms, AreTheLiftsTerms) {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    const Algebra algebra = testing_support::randomAlgebra(random, 30);
    SCOPED_TRACE(algebra.expression());
    expectTermsOf(Lift::rows(algebra));
    expectTermsOf(Lift::slots(algebra));
  }
}

// Q(q): rows of every type on the diagonal, those of type b in block (b, j).
TEST(WeightTerms, OfACompleteGraph) {
  const WeightTerms weights(Lift::rows(completeGraph(5)));
  for (int64_t b = 0; b < 5; ++b)
    for (int64_t j = 0; j < 5; ++j) {
      ASSERT_EQ(weights.of(b, j).size(), b == j ? 5u : 1u);
      for (const WeightTerm &term : weights.of(b, j)) {
        EXPECT_EQ(term.input_group, b);
        EXPECT_EQ(term.coefficient, Rational(1));
        if (b != j)
          EXPECT_EQ(term.type, b);
      }
    }
}

TEST(WeightTerms, RefuseWhatIsNotThere) {
  const Lift lift = Lift::rows(completeGraph(3));
  EXPECT_THROW(WeightTerms(lift.transposed()), std::logic_error);
  const WeightTerms weights(lift);
  EXPECT_THROW(weights.of(3, 0), std::out_of_range);
  EXPECT_THROW(weights.of(0, -1), std::out_of_range);
}

} // namespace
