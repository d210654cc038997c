#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/layer.h"
#include "algebras/weight_row_types.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>

namespace {

using namespace algebras;

// All terms of one row of the position matrix, from the table alone.
std::map<std::pair<int64_t, int64_t>, Rational> rowFromTable(const Algebra &algebra, const Table &table,
                                                             int64_t row) {
  std::map<std::pair<int64_t, int64_t>, Rational> result; // (input group, output group) -> coefficient
  for (const Constant &constant : table.constants()) {
    Position x = algebra.position(constant.i), y = algebra.position(constant.k);
    if (x.row == row)
      result[{x.column, y.column}] = constant.value;
  }
  return result;
}

void expectRowsOfTheTable(const Algebra &algebra) {
  SCOPED_TRACE(algebra.expression());
  Lift lift = Lift::rows(algebra);
  Table table = algebra.expand();
  int64_t n = algebra.positions(), terms = 0;
  std::vector<decltype(rowFromTable(algebra, table, 0))> rows, first_of_type;
  for (int64_t row = 0; row < n; ++row) {
    rows.push_back(rowFromTable(algebra, table, row));
    // Types: equal rows are merged and keep the order of their first member.
    auto same = std::find(first_of_type.begin(), first_of_type.end(), rows.back());
    EXPECT_EQ(lift.typeOfRow(row), same - first_of_type.begin());
    if (same == first_of_type.end())
      first_of_type.push_back(rows.back());
  }
  ASSERT_EQ(lift.types(), static_cast<int64_t>(first_of_type.size()));
  EXPECT_EQ(lift.weightRows(), n);
  int64_t live = 0;
  for (int64_t type = 0; type < lift.types(); ++type) {
    decltype(rowFromTable(algebra, table, 0)) own;
    for (int64_t group = 0; group < n; ++group) {
      std::vector<BlockTerm> list = lift.terms(type, group);
      EXPECT_EQ(lift.writes(type, group), !list.empty());
      for (const BlockTerm &term : list) {
        EXPECT_EQ(term.weight_row, term.input_group);
        EXPECT_TRUE(lift.isLive(term.weight_row, group));
        own[{term.input_group, group}] = term.coefficient;
        ++terms;
      }
    }
    EXPECT_EQ(own, first_of_type[type]);
    for (int64_t group = 0; group < n; ++group)
      EXPECT_EQ(lift.reads(type, group), std::any_of(own.begin(), own.end(), [&](const auto &entry) {
                  return entry.first.first == group;
                }));
  }
  EXPECT_EQ(lift.termCount(), terms);
  for (int64_t row = 0; row < n; ++row)
    for (int64_t group = 0; group < n; ++group)
      live += lift.isLive(row, group);
  EXPECT_EQ(lift.liveBlocks(), live);
  // A weight matrix of identity blocks passes group j on exactly when j is in B(i,j) for every type i, with
  // constants of 1.
  bool passes = algebra.hasConstantsOne();
  for (const auto &own : first_of_type)
    for (int64_t group = 0; group < n; ++group)
      passes = passes && own.contains({group, group});
  EXPECT_EQ(lift.weightIdentityIsIdentity(), passes);
}

TEST(Lift, RowsAreTheTable) {
  std::mt19937 random(14);
  for (int round = 0; round < 40; ++round)
    expectRowsOfTheTable(testing_support::randomAlgebra(random, 30));
}

// The table of an algebra by multiples of its slots in another order.
Table disguised(const Algebra &algebra, std::mt19937 &random, bool scaled) {
  std::vector<int64_t> place(algebra.dimension());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  std::vector<Rational> factor;
  for (size_t slot = 0; slot < place.size(); ++slot)
    factor.push_back(scaled ? Rational(static_cast<int64_t>(random() % 3) + 1) : Rational(1));
  const Table table = algebra.expand();
  std::vector<Constant> constants;
  for (const Constant &one : table.constants()) // b_i b_j = c b_k, each b a factor times its slot
    constants.push_back({place[one.i], place[one.j], place[one.k],
                         one.value * factor[one.i] * factor[one.j] / factor[one.k]});
  return Table("disguised", Field(), table.dimension(), constants);
}

// A table knows no positions: they follow from its products, in the order of the slots (j,j).
TEST(Lift, RowsOfTablesAreFound) {
  std::mt19937 random(16);
  for (int round = 0; round < 60; ++round) {
    const Algebra algebra = testing_support::randomAlgebra(random, 30);
    const Algebra table = tableAlgebra(disguised(algebra, random, round % 2 == 0));
    SCOPED_TRACE(algebra.expression());
    EXPECT_FALSE(table.isMatrixLike());
    ASSERT_TRUE(table.hasPositions());
    ASSERT_EQ(table.positions(), algebra.positions());
    expectRowsOfTheTable(table);
    // With others, too.
    expectRowsOfTheTable(tensor(table, parseExpression("Q(2)")));
    expectRowsOfTheTable(directProduct(parseExpression("T(2)"), table));
  }
  // In the order of slots that every algebra has.
  const Lift lift = Lift::rows(tableAlgebra(parseExpression("Q(5)").expand()));
  EXPECT_EQ(lift.completeGraph(), 5);
  EXPECT_TRUE(lift.isGraph());
  EXPECT_EQ(Lift::rows(tableAlgebra(parseExpression("M(3)").expand())).types(), 1);
}

TEST(Lift, TablesWithoutPositionsHaveNoRows) {
  const auto table = [](int64_t dimension, const std::vector<Constant> &constants) {
    return tableAlgebra(Table("t", Field(), dimension, constants));
  };
  const Rational one(1);
  // The complex numbers: i and 1 would sit at one position.
  EXPECT_FALSE(
      table(2, {{0, 0, 0, one}, {0, 1, 1, one}, {1, 0, 1, one}, {1, 1, 0, Rational(-1)}}).hasPositions());
  // A sum of two positions.
  EXPECT_FALSE(table(2, {{0, 0, 0, one}, {0, 0, 1, one}, {1, 1, 1, one}}).hasPositions());
  // (0,1) without (1,1), and with a (0,0) that does not keep it.
  EXPECT_FALSE(table(2, {{0, 0, 0, one}, {0, 1, 1, one}}).hasPositions());
  EXPECT_FALSE(table(3, {{0, 0, 0, one}, {1, 1, 1, one}, {2, 1, 2, one}}).hasPositions());
  // Two slots at one position, and a slot that is in no product.
  EXPECT_FALSE(
      table(4,
            {{0, 0, 0, one}, {1, 1, 1, one}, {0, 2, 2, one}, {2, 1, 2, one}, {0, 3, 3, one}, {3, 1, 3, one}})
          .hasPositions());
  EXPECT_FALSE(table(2, {{0, 0, 0, one}}).hasPositions());
  EXPECT_THROW(Lift::rows(table(2, {{0, 0, 0, one}})), InputError);
}

TEST(Lift, SlotsAreTheTable) {
  std::mt19937 random(15);
  for (int round = 0; round < 20; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 20);
    Lift lift = Lift::slots(algebra);
    std::vector<Constant> constants;
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const BlockTerm &term : lift.terms(0, group))
        constants.push_back({term.input_group, term.weight_row, group, term.coefficient});
    EXPECT_TRUE(algebra.expand().sameProduct(Table("", Field(), algebra.dimension(), constants)));
    EXPECT_EQ(lift.types(), 1);
    EXPECT_EQ(lift.termCount(), algebra.nonzeros());
    EXPECT_EQ(lift.weightBlocks(), algebra.dimension());
    EXPECT_TRUE(lift.weightIdentityIsIdentity());
  }
}

TEST(Lift, TypesOfKnownAlgebras) {
  EXPECT_EQ(Lift::rows(parseExpression("Q(32)*M(4)")).types(), 32);
  EXPECT_EQ(Lift::rows(parseExpression("Q(32)*M(4)")).inputGroups(), 128);
  EXPECT_EQ(Lift::rows(parseExpression("M(4)*Q(3)")).types(), 3);
  EXPECT_EQ(Lift::rows(parseExpression("M(4)*Q(3)")).typeOfRow(5), 2);
  EXPECT_EQ(Lift::rows(parseExpression("T(5)")).types(), 5);
  EXPECT_EQ(Lift::rows(parseExpression("M(7)")).types(), 1);
}

TEST(Lift, CompleteGraphsAreRecognisedExactly) {
  EXPECT_EQ(Lift::rows(parseExpression("Q(5)")).completeGraph(), 5);
  EXPECT_EQ(Lift::rows(parseExpression("graph(2; 0->1, 1->0)")).completeGraph(), 2);
  EXPECT_EQ(Lift::rows(parseExpression("Q(5)*M(1)")).completeGraph(), 5);
  EXPECT_EQ(Lift::rows(parseExpression("D(1)")).completeGraph(), 1);
  for (const char *other : {"Q(2)^2", "M(2)", "T(3)", "D(2)", "path(3)", "Q(2)*M(2)", "Q(2)+Q(2)"})
    EXPECT_FALSE(Lift::rows(parseExpression(other)).completeGraph()) << other;
  EXPECT_FALSE(Lift::slots(parseExpression("Q(5)")).completeGraph());
}

// y_j of type i reads i and j where there is an edge, i alone where j = i, and nothing elsewhere.
TEST(Lift, GraphsAreRecognised) {
  for (const char *expression :
       {"Q(5)", "path(4)", "D(3)", "graph(4; 0->3, 1->0, 1->3, 3->2)", "graph(2; 0->1, 1->0)"}) {
    SCOPED_TRACE(expression);
    const Lift lift = Lift::rows(parseExpression(expression));
    EXPECT_TRUE(lift.isGraph());
    EXPECT_FALSE(lift.transposed().isGraph());
    ASSERT_EQ(lift.types(), lift.inputGroups());
    for (int64_t type = 0; type < lift.types(); ++type)
      for (int64_t group = 0; group < lift.outputGroups(); ++group) {
        const std::vector<BlockTerm> terms = lift.terms(type, group);
        ASSERT_EQ(terms.size(), !lift.writes(type, group) ? 0U : group == type ? 1U : 2U);
        for (const BlockTerm &term : terms) {
          EXPECT_TRUE(term.input_group == type || term.input_group == group);
          EXPECT_EQ(term.weight_row, term.input_group);
          EXPECT_EQ(term.coefficient, Rational(1));
        }
      }
  }
  for (const char *other : {"Q(2)^2", "M(2)", "T(3)", "Q(2)*M(2)", "Q(2)+Q(2)", "poset(3; 0->1, 1->2)"})
    EXPECT_FALSE(Lift::rows(parseExpression(other)).isGraph()) << other;
  EXPECT_FALSE(Lift::slots(parseExpression("path(3)")).isGraph());
}

TEST(Lift, SaysWhichLiftIsMeant) {
  Algebra complex = parseExpression(
      R"(table({"dimension":2,"constants":[[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"],[1,1,0,"-1"]]}))");
  EXPECT_THROW(Lift::rows(complex), InputError);
  EXPECT_NE(Lift::rows(parseExpression("D(4)")).note().find("slots"), std::string::npos);
  EXPECT_NE(Lift::rows(parseExpression("Q(2)+Q(2)")).note().find("slots"), std::string::npos);
  EXPECT_EQ(Lift::rows(parseExpression("Q(4)")).note(), "");
  EXPECT_EQ(Lift::slots(parseExpression("D(4)")).note(), "");
  EXPECT_EQ(Lift::parse("rows", parseExpression("Q(2)")).kind(), Lift::Kind::Rows);
  EXPECT_THROW(Lift::parse("row", parseExpression("Q(2)")), InputError);
}

TEST(Lift, SlotsOfTablesMayBeDeadOrWithoutIdentity) {
  Algebra nilpotent = parseExpression(R"(table({"dimension":3,"constants":[[0,1,2,"1"]]}))");
  Lift lift = Lift::slots(nilpotent);
  EXPECT_EQ(lift.liveBlocks(), 1);
  EXPECT_TRUE(lift.isLive(1, 0));
  EXPECT_FALSE(lift.isLive(0, 0));
  EXPECT_TRUE(lift.reads(0, 0));
  EXPECT_FALSE(lift.reads(0, 2));
  EXPECT_TRUE(lift.writes(0, 2));
  EXPECT_FALSE(lift.writes(0, 1));
  EXPECT_FALSE(lift.weightIdentityIsIdentity());
}

TEST(Groups, WidthsStartsAndErrors) {
  Groups equal = Groups::equal(4, 16);
  EXPECT_EQ(equal.total(), 64);
  EXPECT_EQ(equal.start(3), 48);
  EXPECT_EQ(Groups::explicitWidths({16, 16, 16, 16}), equal);
  Groups unequal = Groups::explicitWidths({640, 512, 896});
  EXPECT_FALSE(unequal.isEqual());
  EXPECT_EQ(unequal.start(2), 1152);
  EXPECT_EQ(unequal.width(2), 896);
  EXPECT_EQ(unequal.total(), 2048);
  EXPECT_EQ(unequal.refined(2).widths(), (std::vector<int64_t>{320, 320, 256, 256, 448, 448}));
  EXPECT_EQ(unequal.refined(2).coarsened(2), unequal);
  EXPECT_EQ(equal.refined(4).coarsened(4), equal);
  EXPECT_THROW(Groups::equal(0, 1), InputError);
  EXPECT_THROW(Groups::equal(1, 0), InputError);
  EXPECT_THROW(Groups::equal(INT64_MAX, 2), InputError);
  EXPECT_THROW(Groups::explicitWidths({}), InputError);
  EXPECT_THROW(Groups::explicitWidths({1, 0}), InputError);
  EXPECT_THROW(Groups::explicitWidths({INT64_MAX, 1}), InputError);
  try {
    Groups::dividing(100, 32);
    FAIL();
  } catch (const InputError &error) {
    EXPECT_NE(error.hint().find("in_groups"), std::string::npos);
  }
}

TEST(RowTypes, CountsAgreeWithPositions) {
  for (const RowTypes &types :
       {RowTypes::cyclic(1), RowTypes::cyclic(5), RowTypes::interval(4, 3), RowTypes::interval(1, 7)})
    for (int64_t p0 : {0, 1, 4, 11, 12, 1000003})
      for (int64_t m : {0, 1, 2, 7, 12, 13, 50})
        for (int64_t type = 0; type < types.count(); ++type) {
          int64_t count = 0;
          for (int64_t p = p0; p < p0 + m; ++p) {
            int64_t expected = types.kind() == RowTypes::Kind::Cyclic
                                   ? p % types.count()
                                   : (p % (types.count() * types.width())) / types.width();
            ASSERT_EQ(types.typeAt(p), expected);
            count += expected == type;
          }
          ASSERT_EQ(types.countOf(type, m, p0), count);
        }
}

TEST(RowTypes, CountsUpToTheLargestPosition) {
  for (const RowTypes &types : {RowTypes::cyclic(1), RowTypes::cyclic(5), RowTypes::interval(4, 3)}) {
    std::vector<int64_t> counts(types.count());
    for (int64_t back = 0; back < 23; ++back)
      ++counts[types.typeAt(INT64_MAX - back)];
    for (int64_t type = 0; type < types.count(); ++type) {
      EXPECT_EQ(types.countOf(type, 23, INT64_MAX - 22), counts[type]);
      EXPECT_THROW(types.countOf(type, 24, INT64_MAX - 22), InputError);
    }
  }
}

TEST(RowTypes, ParsesAndRefuses) {
  EXPECT_EQ(RowTypes::parse("cyclic", 32), RowTypes::cyclic(32));
  EXPECT_EQ(RowTypes::parse("interval(192)", 4), RowTypes::interval(4, 192));
  EXPECT_EQ(RowTypes::parse("explicit", 4).kind(), RowTypes::Kind::Explicit);
  EXPECT_EQ(RowTypes::interval(4, 192).toString(), "interval(192)");
  EXPECT_EQ(RowTypes::parse("interval(1)", 4), RowTypes::cyclic(4));
  for (const char *bad : {"", "Cyclic", "interval", "interval()", "interval(0)", "interval(-1)", "interval(1",
                          "interval(99999999999999999999)", "interval(9223372036854775807)"})
    EXPECT_THROW(RowTypes::parse(bad, 4), InputError) << bad;
  EXPECT_THROW(RowTypes::cyclic(0), InputError);
  EXPECT_THROW(RowTypes::explicitTypes(4).typeAt(0), std::logic_error);
}

TEST(Layer, ValidatesAgainstTheLift) {
  Lift lift = Lift::rows(parseExpression("Q(4)"));
  Layer layer = makeLayer(lift, 64, 128, DataType::BF16);
  EXPECT_NO_THROW(layer.validate());
  EXPECT_THROW(makeLayer(lift, 66, 128), InputError);
  EXPECT_THROW(makeLayer(lift, 0, 128), InputError);
  EXPECT_THROW(makeLayer(lift, int64_t{1} << 40, int64_t{1} << 40), InputError);
  layer.in = Groups::equal(3, 16);
  EXPECT_THROW(layer.validate(), InputError);
  layer = makeLayer(lift, 64, 128);
  layer.row_types = RowTypes::cyclic(3);
  EXPECT_THROW(layer.validate(), InputError);
  Layer slots = makeLayer(Lift::slots(parseExpression("D(2)")), 4, 4);
  slots.in = Groups::explicitWidths({1, 3});
  EXPECT_THROW(slots.validate(), InputError);
  EXPECT_EQ(parseDataType("bf16"), DataType::BF16);
  EXPECT_THROW(parseDataType("f16"), InputError);
}

// The blocks of W and of X that a layer multiplies for one output feature, feature by feature.
std::map<std::pair<int64_t, int64_t>, Rational> featureTerms(const Layer &layer, int64_t type,
                                                             int64_t column) {
  int64_t group = 0;
  while (layer.out.start(group) + layer.out.width(group) <= column)
    ++group;
  std::map<std::pair<int64_t, int64_t>, Rational> result; // (column of X, row of W) -> coefficient
  for (const BlockTerm &term : layer.lift.terms(type, group))
    for (int64_t k = 0; k < layer.in.width(term.input_group); ++k)
      result[{layer.in.start(term.input_group) + k, layer.in.start(term.weight_row) + k}] = term.coefficient;
  return result;
}

TEST(Coarsest, ComputesTheSameFromWiderGroups) {
  for (auto [expression, types, groups] :
       {std::tuple("Q(3)*M(4)", 3, 3), std::tuple("Q(2)*M(2)*M(3)", 2, 2), std::tuple("M(6)", 1, 1),
        std::tuple("T(3)*M(2)", 3, 3), std::tuple("M(2)*Q(3)", 3, 6), std::tuple("Q(2)^2", 4, 4)}) {
    const Lift lift = Lift::rows(parseExpression(expression));
    const Layer layer = makeLayer(lift, lift.inputGroups() * 3, lift.outputGroups() * 2);
    const Layer coarse = coarsest(layer);
    coarse.validate();
    EXPECT_EQ(coarse.lift.types(), types) << expression;
    EXPECT_EQ(coarse.lift.outputGroups(), groups) << expression;
    EXPECT_EQ(coarse.in.total(), layer.in.total());
    EXPECT_EQ(coarse.out.total(), layer.out.total());
    for (int64_t type = 0; type < types; ++type)
      for (int64_t column = 0; column < layer.out.total(); ++column)
        EXPECT_EQ(featureTerms(coarse, type, column), featureTerms(layer, type, column))
            << expression << " type " << type << " column " << column;
  }
}

TEST(Coarsest, LeavesTheSlotLiftAlone) {
  const Lift lift = Lift::slots(parseExpression("Q(2)*M(2)"));
  const Layer layer = makeLayer(lift, lift.inputGroups() * 8, lift.outputGroups() * 8);
  EXPECT_EQ(coarsest(layer).lift.inputGroups(), lift.inputGroups());
}

// Both lists of all terms, each as (type, group read, group written, block of the weight matrix) ->
// coefficient.
using Terms = std::map<std::array<int64_t, 4>, Rational>;

Terms forwardTerms(const Lift &lift) {
  Terms result;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const BlockTerm &term : lift.terms(type, group))
        result[{type, term.input_group, group, term.weight_row}] = term.coefficient;
  return result;
}

Terms backwardTerms(const Lift &transposed) {
  Terms result;
  for (int64_t type = 0; type < transposed.types(); ++type)
    for (int64_t group = 0; group < transposed.outputGroups(); ++group) {
      std::vector<BlockTerm> list = transposed.terms(type, group);
      EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), [](const BlockTerm &a, const BlockTerm &b) {
        return a.input_group < b.input_group;
      }));
      EXPECT_EQ(transposed.writes(type, group), !list.empty());
      for (const BlockTerm &term : list) {
        EXPECT_TRUE(transposed.reads(type, term.input_group));
        EXPECT_TRUE(transposed.isLive(term.weight_row, group));
        // Row `input_group` of the transposed weight matrix: in rows its block is named by both groups.
        const bool rows = transposed.kind() == Lift::Kind::Rows;
        if (rows)
          EXPECT_EQ(term.weight_row, term.input_group);
        result[{type, group, term.input_group, rows ? group : term.weight_row}] = term.coefficient;
      }
    }
  return result;
}

TEST(Lift, ATransposedLiftHasTheSameTerms) {
  std::mt19937 random(15);
  for (int round = 0; round < 40; ++round) {
    Algebra algebra = testing_support::randomAlgebra(random, 30);
    SCOPED_TRACE(algebra.expression());
    for (const Lift &lift : {Lift::rows(algebra), Lift::slots(algebra)}) {
      EXPECT_FALSE(lift.isTransposed());
      Lift transposed = lift.transposed();
      EXPECT_TRUE(transposed.isTransposed());
      EXPECT_EQ(forwardTerms(lift), backwardTerms(transposed));
      EXPECT_EQ(transposed.completeGraph(), lift.completeGraph());
      EXPECT_FALSE(transposed.transposed().isTransposed());
      EXPECT_EQ(forwardTerms(transposed.transposed()), forwardTerms(lift));
    }
  }
}

TEST(Lift, ATransposedCompleteGraphNeedsNoLists) {
  Lift lift = Lift::rows(parseExpression("Q(100000)")).transposed();
  EXPECT_EQ(lift.terms(7, 3), (std::vector<BlockTerm>{{3, 3, Rational(1)}}));
  EXPECT_EQ(lift.terms(7, 7).size(), 100000u);
  EXPECT_TRUE(lift.reads(5, 9));
  EXPECT_TRUE(lift.writes(5, 9));
}

// Whatever schedule is named gives every row the type of its group.
TEST(Lift, TypesOfRowsOfWeights) {
  struct Case {
    const char *algebra;
    std::vector<int64_t> widths;
    const char *schedule; // nullptr: there is none
  };
  for (const Case &one : {Case{"Q(3)", {5, 5, 5}, "interval(5)"},
                          {"Q(3)", {1, 1, 1}, "cyclic"},
                          {"Q(3)", {5, 5, 4}, "interval(5)"}, // the last one may be shorter
                          {"Q(3)", {4, 5, 5}, nullptr},
                          {"T(2)", {3, 4}, nullptr},
                          {"M(3)", {1, 7, 2}, "cyclic"},
                          // The rows of the first factor's groups are of one type.
                          {"Q(2)*M(2)", {4, 4, 4, 4}, "interval(8)"},
                          {"Q(2)*M(2)", {3, 5, 6, 2}, "interval(8)"},
                          {"M(2)*Q(2)", {4, 4, 4, 4}, "interval(4)"},
                          {"M(2)*Q(2)", {4, 4, 5, 3}, nullptr}}) {
    const Lift lift = Lift::rows(parseExpression(one.algebra));
    const Groups rows = Groups::explicitWidths(one.widths);
    SCOPED_TRACE(one.algebra);
    const std::optional<RowTypes> types = typesOfWeightRows(lift, rows);
    ASSERT_EQ(types.has_value(), one.schedule != nullptr);
    if (!types)
      continue;
    EXPECT_EQ(types->toString(), one.schedule);
    EXPECT_EQ(types->count(), lift.types());
    for (int64_t group = 0; group < rows.count(); ++group)
      for (int64_t row = rows.start(group); row < rows.start(group) + rows.width(group); ++row)
        EXPECT_EQ(types->typeAt(row), lift.typeOfRow(group));
  }
  EXPECT_FALSE(typesOfWeightRows(Lift::slots(parseExpression("M(2)")), Groups::equal(4, 3)));
}

} // namespace
