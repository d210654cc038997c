// Decompositions of tables whose basis hides their structure: every claim is checked by products, and the
// dimensions against known answers.
#include "algebras/expression.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/generators.h"
#include "algebras/structure/lattice.h"
#include "algebras/structure/quotient.h"
#include "algebras/structure/radical.h"
#include "algebras/structure/sparse_product.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/examples.h"
#include "tests/algebras/random_algebra.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace algebras;
using nlohmann::json;
using testing_support::checkDecomposition;
using testing_support::denseBasis;

Decomposition checked(const Table &table) {
  Decomposition result = decomposeDense(table, findIdentity(table).value());
  checkDecomposition(table, result);
  return result;
}

std::vector<int64_t> series(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const auto &power : decomposition.radical_powers)
    result.push_back(static_cast<int64_t>(power.size()));
  result.push_back(0);
  return result;
}

std::vector<int64_t> dimensions(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const SimpleComponent &component : decomposition.components)
    result.push_back(component.dimension);
  return result;
}

TEST(Decomposition, PublishedCases) {
  json all = json::parse(std::ifstream(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json"));
  for (const json &one : all["cases"]) {
    const json &expect = one["expect"];
    if (expect["radical_dimension"].is_null())
      continue;
    SCOPED_TRACE(one["name"].get<std::string>());
    Decomposition found = checked(parseTable(one.dump(), "case.json"));
    EXPECT_EQ(json(series(found)), expect["radical_series"]);
    EXPECT_EQ(json(dimensions(found)), expect["simple_components"]);
    EXPECT_EQ(json(found.center_dimension.value()), expect["center_dimension"]);
  }
}

// What the constructions know in closed form, found again behind a change of basis.
TEST(Decomposition, ConstructionsInDenseBases) {
  std::mt19937 random(3);
  for (const char *field : {"Q", "GF(2)", "GF(3)", "GF(5)", "GF(7)", "GF(9223372036854775783)"})
    for (int round = 0; round < 10; ++round) {
      Algebra algebra = testing_support::randomAlgebra(random, 14, Field::parse(field));
      SCOPED_TRACE(algebra.expression() + " over " + field);
      Decomposition known = decompose(algebra).value();
      checkDecomposition(algebra.expand(), known);
      Decomposition found = checked(denseBasis(algebra.expand(), random));
      EXPECT_EQ(series(found), series(known));
      EXPECT_EQ(dimensions(found), dimensions(known));
      EXPECT_EQ(found.center_dimension, known.center_dimension);
      if (std::string(field) != "Q")
        for (const SimpleComponent &component : found.components)
          EXPECT_EQ(component.matrix_degree.value() * component.matrix_degree.value(), component.dimension);
    }
}

std::vector<int64_t> degrees(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const SimpleComponent &component : decomposition.components)
    result.push_back(component.matrix_degree.value_or(0)); // 0: not decided
  return result;
}

std::vector<int64_t> centerDegrees(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const SimpleComponent &component : decomposition.components)
    result.push_back(static_cast<int64_t>(component.center_polynomial.size()) - 1);
  return result;
}

using Numbers = std::vector<int64_t>;

TEST(Decomposition, QuaternionAlgebrasByTheirRamification) {
  struct Case {
    int64_t a, b;
    const char *places; // empty: it is M_2(Q)
  };
  std::mt19937 random(5);
  for (const Case &one : {Case{-1, -1, "2 and infinity"}, Case{-1, -3, "3 and infinity"},
                          Case{-2, -5, "5 and infinity"}, Case{-1, 3, "2 and 3"}, Case{2, 5, "2 and 5"},
                          Case{1, 1, ""}, Case{-1, 2, ""}, Case{5, -1, ""}, Case{-1, 5, ""}, Case{2, 7, ""},
                          Case{-7, 11, ""}, Case{3, -2, ""}, Case{12, 75, "2 and 3"}, Case{-1, 13, ""}}) {
    SCOPED_TRACE(std::to_string(one.a) + ", " + std::to_string(one.b));
    Table table = examples::clifford(Field(), {one.a, one.b});
    for (const Table &basis : {table, denseBasis(table, random)}) {
      Decomposition found = checked(basis);
      ASSERT_EQ(found.components.size(), 1u);
      const SimpleComponent &component = found.components[0];
      EXPECT_EQ(component.matrix_degree, *one.places ? 1 : 2);
      if (*one.places)
        EXPECT_TRUE(component.division_reason.ends_with("over Q, ramified at " + std::string(one.places)))
            << component.division_reason;
    }
  }
}

TEST(Decomposition, ProductsOfQuaternionAlgebras) {
  Algebra h = tableAlgebra(examples::clifford(Field(), {-1, -1})),
          other = tableAlgebra(examples::clifford(Field(), {-1, -3}));
  // H x H = M_4(Q); H x (-1, -3) = M_2((3, ...)), ramified at 2 and 3.
  EXPECT_EQ(degrees(checked(tensor(h, h).expand())), (Numbers{4}));
  EXPECT_EQ(degrees(checked(tensor(h, other).expand())), (Numbers{2}));
  EXPECT_EQ(degrees(checked(tensor(h, matrices(3)).expand())), (Numbers{3}));
  Decomposition triangular_h = checked(tensor(h, triangular(2)).expand());
  EXPECT_EQ(series(triangular_h), (Numbers{4, 0}));
  EXPECT_EQ(degrees(triangular_h), (Numbers{1, 1}));
}

// The same where a change of basis hides what splits them.
TEST(Decomposition, SimpleAlgebrasInDenseBases) {
  auto quaternions = [](int64_t a, int64_t b) { return tableAlgebra(examples::clifford(Field(), {a, b})); };
  auto root = [](int64_t square) { return tableAlgebra(examples::polynomials(Field(), {-square, 0})); };
  struct Case {
    const char *name;
    Algebra algebra;
    int64_t degree, center_degree;
    const char *reason; // of the division algebra; empty for a field
  };
  Algebra h = quaternions(-1, -1);
  std::mt19937 random(11);
  for (const Case &one :
       {Case{"M(5)", matrices(5), 5, 1, ""},
        Case{"H * M(3)", tensor(h, matrices(3)), 3, 1, "ramified at 2 and infinity"},
        Case{"(2, 3) * M(2)", tensor(quaternions(2, 3), matrices(2)), 2, 1, "ramified at 2 and 3"},
        Case{"H * H", tensor(h, h), 4, 1, ""},
        Case{"H * (-1, -3)", tensor(h, quaternions(-1, -3)), 2, 1, "ramified at 2 and 3"},
        Case{"(2, 5) * (3, 7)", tensor(quaternions(2, 5), quaternions(3, 7)), 2, 1, "over Q, ramified at"},
        Case{"M(2) * Q(i)", tensor(matrices(2), root(-1)), 2, 2, ""},
        Case{"H * Q(i)", tensor(h, root(-1)), 2, 2, ""},
        Case{"H * Q(sqrt 2)", tensor(h, root(2)), 1, 2, "definite at 2 real places of it"},
        Case{"H * Q(sqrt 2) * M(2)", tensor(tensor(h, root(2)), matrices(2)), 2, 2,
             "definite at 2 real places of it"}})
    // Changed once more where that costs little.
    for (int round = 0; round < (one.algebra.dimension() > 16 ? 1 : 2); ++round) {
      SCOPED_TRACE(one.name);
      Table table = one.algebra.expand();
      for (int change = 0; change <= round; ++change)
        table = denseBasis(table, random);
      Decomposition found = checked(table);
      ASSERT_EQ(found.components.size(), 1u);
      EXPECT_EQ(found.components[0].matrix_degree, one.degree);
      EXPECT_EQ(centerDegrees(found), (Numbers{one.center_degree}));
      EXPECT_EQ(found.components[0].division_reason.empty(), std::string(one.reason).empty());
      EXPECT_NE(found.components[0].division_reason.find(one.reason), std::string::npos)
          << found.components[0].division_reason;
    }
}

// Over number fields: definite at a real place, or split by a zero divisor.
TEST(Decomposition, QuaternionAlgebrasOverNumberFields) {
  auto component = [&](std::vector<int64_t> squares, const std::vector<int64_t> &polynomial) {
    return checked(tensor(tableAlgebra(examples::clifford(Field(), squares)),
                          tableAlgebra(examples::polynomials(Field(), polynomial)))
                       .expand())
        .components.at(0);
  };
  SimpleComponent real = component({-1, -1}, {-2, 0}); // Q(sqrt 2)
  EXPECT_EQ(real.matrix_degree, 1);
  EXPECT_EQ(real.division_reason, "quaternion algebra over its centre, definite at 2 real places of it");
  SimpleComponent cubic = component({-1, -3}, {-2, 0, 0}); // one real place
  EXPECT_EQ(cubic.matrix_degree, 1);
  EXPECT_EQ(cubic.division_reason, "quaternion algebra over its centre, definite at 1 real place of it");
  EXPECT_EQ(component({-1, -1}, {1, 0}).matrix_degree, 2); // Q(i) splits it
  // Definite nowhere: 2 and 5 stay prime in Q(sqrt 3) up to squares, and split (2, 5); 3 splits in Q(sqrt 7).
  EXPECT_EQ(component({2, 5}, {-3, 0}).matrix_degree, 2);
  SimpleComponent finite = component({2, 3}, {-7, 0});
  EXPECT_EQ(finite.matrix_degree, 1);
  EXPECT_EQ(finite.division_reason, "degree 2 over its centre, with local indices 2 at 3 (2 places)");
}

// Division algebras of larger degree, by their local indices.
TEST(Decomposition, CyclicAlgebras) {
  struct Case {
    std::vector<int64_t> modulus, image;
    int64_t a, degree;
    const char *reason;
  };
  const std::vector<int64_t> seven = {-1, -2, 1}, five = {1, 1, 1, 1};
  std::mt19937 random(13);
  for (const Case &one :
       {Case{seven, {-2, 0, 1}, 2, 1, "degree 3 over its centre, with local indices 3 at 2, 7"},
        Case{seven, {-2, 0, 1}, 8, 3, ""}, Case{seven, {-2, 0, 1}, 13, 3, ""},
        Case{five, {0, 0, 1}, 2, 1, "degree 4 over its centre, with local indices 4 at 2, 5"},
        Case{five, {0, 0, 1}, 4, 2, "over Q, ramified at 2 and 5"}, Case{five, {0, 0, 1}, 16, 4, ""}}) {
    Table table = examples::cyclic(one.modulus, one.image, one.a);
    for (const Table &basis : {table, denseBasis(table, random)}) {
      SCOPED_TRACE(std::to_string(one.a) + one.reason);
      Decomposition found = checked(basis);
      ASSERT_EQ(found.components.size(), 1u);
      EXPECT_EQ(found.components[0].matrix_degree, one.degree);
      EXPECT_EQ(found.components[0].division_reason.empty(), std::string(one.reason).empty());
      EXPECT_TRUE(found.components[0].division_reason.ends_with(one.reason))
          << found.components[0].division_reason;
    }
  }
  // Degree 6: both 2 and 3 divide it.
  SimpleComponent product = checked(tensor(tableAlgebra(examples::cyclic(seven, {-2, 0, 1}, 2)),
                                           tableAlgebra(examples::clifford(Field(), {-1, -1})))
                                        .expand())
                                .components.at(0);
  EXPECT_EQ(product.matrix_degree, 1);
  EXPECT_EQ(product.division_reason,
            "degree 6 over its centre, with local indices 2 at infinity; 3 at 7; 6 at 2");
}

// A change of basis with a large determinant: the slots span a lattice that is far from an order.
TEST(Decomposition, SimpleAlgebrasInBasesOfOtherLattices) {
  auto quaternions = [](int64_t a, int64_t b) { return tableAlgebra(examples::clifford(Field(), {a, b})); };
  std::mt19937 random(19);
  for (const auto &[algebra, degree] :
       {std::pair(tensor(quaternions(2, 3), quaternions(2, 5)), 2), std::pair(matrices(3), 3)}) {
    SCOPED_TRACE(algebra.expression());
    Table table = algebra.expand();
    int64_t n = table.dimension();
    Matrix change(Field(), n, n);
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column)
        change.set(row, column, Rational(static_cast<int64_t>(random() % 3) - 1));
    ProductOperator product(table);
    Lattice lattice(product, change);
    Decomposition found = checked(lattice.table());
    ASSERT_EQ(found.components.size(), 1u);
    EXPECT_EQ(found.components[0].matrix_degree, degree);
  }
}

TEST(Decomposition, CliffordAlgebras) {
  // Generators that square to -1: R-like table over Q. Cl(0,3) = H + H, Cl(3,0) = M_2(Q(i)), Cl(0,2) = H.
  Field q;
  EXPECT_EQ(dimensions(checked(examples::clifford(q, {-1, -1, -1}))), (Numbers{4, 4}));
  Decomposition cl3 = checked(examples::clifford(q, {1, 1, 1}));
  EXPECT_EQ(dimensions(cl3), (Numbers{8}));
  EXPECT_EQ(degrees(cl3), (Numbers{2}));
  EXPECT_EQ(cl3.components[0].center_polynomial,
            (std::vector<Rational>{Rational(1), Rational(0), Rational(1)}));
  EXPECT_EQ(degrees(checked(examples::clifford(q, {1, 1, 1, 1}))), (Numbers{2})); // M_2(H)
  EXPECT_EQ(degrees(checked(examples::clifford(q, {1, 1, -1, -1}))), (Numbers{4}));
  // A degenerate form has a radical: the exterior algebra is local.
  EXPECT_EQ(series(checked(examples::clifford(q, {0, 0, 0}))), (Numbers{7, 4, 1, 0}));
  EXPECT_EQ(series(checked(examples::clifford(Field::prime(3), {1, -1, 0}))), (Numbers{4, 0}));
  EXPECT_EQ(degrees(checked(examples::clifford(Field::prime(7), {3, 3, 1, -1}))), (Numbers{4}));
}

TEST(Decomposition, NumberFieldsAndTruncatedPolynomials) {
  Field q;
  std::mt19937 random(6);
  // x^4 + 1 is irreducible over Q, though it factors modulo every prime.
  for (const Table &table :
       {examples::polynomials(q, {1, 0, 0, 0}), denseBasis(examples::polynomials(q, {1, 0, 0, 0}), random)})
    EXPECT_EQ(centerDegrees(checked(table)), (Numbers{4}));
  EXPECT_EQ(centerDegrees(checked(examples::polynomials(Field::prime(7), {1, 0, 0, 0}))), (Numbers{2, 2}));
  EXPECT_EQ(centerDegrees(checked(examples::polynomials(Field::prime(2), {1, 1, 0, 0, 0, 0, 0}))),
            (Numbers{7}));
  Decomposition cubed = checked(examples::polynomials(q, {0, 0, 0, -8, 12, -6})); // x^3 (x - 2)^3
  EXPECT_EQ(series(cubed), (Numbers{4, 2, 0}));
  EXPECT_EQ(dimensions(cubed), (Numbers{1, 1}));
  // Q(i) x Q(i) falls apart, Q(i) x Q(sqrt 2) does not.
  Algebra i = tableAlgebra(examples::polynomials(q, {1, 0})),
          root = tableAlgebra(examples::polynomials(q, {-2, 0}));
  EXPECT_EQ(dimensions(checked(tensor(i, i).expand())), (Numbers{2, 2}));
  EXPECT_EQ(dimensions(checked(tensor(i, root).expand())), (Numbers{4}));
}

TEST(Decomposition, GroupAlgebrasOverManyFields) {
  struct Case {
    const char *field;
    Table table;
    Numbers series, dimensions, degrees;
  };
  Field q, two = Field::prime(2), three = Field::prime(3), five = Field::prime(5), seven = Field::prime(7);
  std::vector<Case> cases = {
      {"Q", examples::symmetricGroup(q, 3), {0}, {1, 1, 4}, {1, 1, 2}},
      {"Q", examples::symmetricGroup(q, 4), {0}, {1, 1, 4, 9, 9}, {1, 1, 2, 3, 3}},
      {"2", examples::symmetricGroup(two, 3), {1, 0}, {1, 4}, {1, 2}},
      {"3", examples::symmetricGroup(three, 3), {4, 2, 0}, {1, 1}, {1, 1}},
      {"5", examples::symmetricGroup(five, 4), {0}, {1, 1, 4, 9, 9}, {1, 1, 2, 3, 3}},
      {"3", examples::symmetricGroup(three, 4), {4, 2, 0}, {1, 1, 9, 9}, {1, 1, 3, 3}},
      {"2 C8", examples::cyclicGroup(two, 8), {7, 6, 5, 4, 3, 2, 1, 0}, {1}, {1}},
      {"2 C7", examples::cyclicGroup(two, 7), {0}, {1, 3, 3}, {1, 1, 1}},
      {"3 C9", examples::cyclicGroup(three, 9), {8, 7, 6, 5, 4, 3, 2, 1, 0}, {1}, {1}},
      {"Q C6", examples::cyclicGroup(q, 6), {0}, {1, 1, 2, 2}, {1, 1, 1, 1}},
      {"Q D5", examples::dihedralGroup(q, 5), {0}, {1, 1, 8}, {1, 1, 2}},
      {"5 D5", examples::dihedralGroup(five, 5), {8, 6, 4, 2, 0}, {1, 1}, {1, 1}},
      {"7 D3", examples::dihedralGroup(seven, 3), {0}, {1, 1, 4}, {1, 1, 2}},
      {"2 D4", examples::dihedralGroup(two, 4), {7, 5, 3, 1, 0}, {1}, {1}},
  };
  std::mt19937 random(7);
  for (const Case &one : cases) {
    SCOPED_TRACE(one.field);
    for (const Table &table : {one.table, denseBasis(one.table, random)}) {
      Decomposition found = checked(table);
      EXPECT_EQ(series(found), one.series);
      EXPECT_EQ(dimensions(found), one.dimensions);
      EXPECT_EQ(degrees(found), one.degrees);
    }
  }
}

TEST(Decomposition, QuotientsByPowersOfTheRadical) {
  std::mt19937 random(8);
  for (const char *field : {"Q", "GF(2)", "GF(3)"}) {
    Table table = denseBasis(parseExpression("T(4)", {.field = Field::parse(field)}).expand(), random);
    ProductOperator product(table);
    Subspace rad = radical(product);
    Matrix generators = generatingElements(table, findIdentity(table).value());
    std::vector<Subspace> powers = radicalPowers(product, rad, generators);
    ASSERT_EQ(powers.size(), 3u);
    EXPECT_EQ(series(checked(quotientTable(product, powers[1]))), (Numbers{3, 0}));
    EXPECT_EQ(series(checked(quotientTable(product, powers[2]))), (Numbers{5, 2, 0}));
    EXPECT_EQ(dimensions(checked(quotientTable(product, rad))), (Numbers{1, 1, 1, 1}));
  }
}

TEST(Decomposition, SmallAndExtremeTables) {
  // Dimension one, a scaled identity, the largest prime, gigantic coefficients.
  EXPECT_EQ(dimensions(checked(Table("one", Field(), 1, {{0, 0, 0, Rational(1, 3)}}))), (Numbers{1}));
  EXPECT_EQ(dimensions(checked(Table("one", Field::prime(2), 1, {{0, 0, 0, Rational(1)}}))), (Numbers{1}));
  Rational big = Rational::parse("100000000000000000000000000000000000000000000000000000007/3");
  EXPECT_EQ(dimensions(checked(Table("scaled", Field(), 2, {{0, 0, 0, big}, {1, 1, 1, Rational(1) / big}}))),
            (Numbers{1, 1}));
  // x^2 = big: a field, as big is no square.
  Table root("root", Field(), 2,
             {{0, 0, 0, Rational(1)}, {0, 1, 1, Rational(1)}, {1, 0, 1, Rational(1)}, {1, 1, 0, big}});
  EXPECT_EQ(centerDegrees(checked(root)), (Numbers{2}));
  Field large = Field::parse("GF(9223372036854775783)");
  EXPECT_EQ(dimensions(checked(examples::symmetricGroup(large, 3))), (Numbers{1, 1, 4}));
}

TEST(Decomposition, PrimitiveIdempotentsAreLifted) {
  std::mt19937 random(9);
  for (const char *field : {"Q", "GF(2)", "GF(3)"})
    for (const char *text : {"T(4)", "Q(3)", "Q(2)*M(2)", "M(2)+T(2)", "path(3)*path(2)"}) {
      SCOPED_TRACE(std::string(text) + " over " + field);
      Table table = denseBasis(parseExpression(text, {.field = Field::parse(field)}).expand(), random);
      Algebra algebra = tableAlgebra(table);
      auto idempotents = primitiveIdempotents(algebra, decompose(algebra).value()).value();
      SparseProduct product(table);
      SparseVector sum;
      for (size_t a = 0; a < idempotents.size(); ++a) {
        sum = product.combine(Rational(1), sum, Rational(1), idempotents[a]);
        for (size_t b = 0; b < idempotents.size(); ++b)
          EXPECT_EQ(product.multiply(idempotents[a], idempotents[b]),
                    a == b ? idempotents[a] : SparseVector());
      }
      EXPECT_EQ(sum, findIdentity(table).value());
    }
  Algebra h = tableAlgebra(examples::clifford(Field(), {-1, -1}));
  EXPECT_FALSE(primitiveIdempotents(h, decompose(h).value()));
}

// Products of many fields over a field so small that one element hardly tells them apart.
TEST(Decomposition, ManyFieldsOverSmallFields) {
  std::mt19937 random(41);
  for (const auto &[expression, field, count] :
       {std::tuple("D(40)", "GF(41)", 40), std::tuple("D(24)", "GF(2)", 24),
        std::tuple("D(12)*D(2)", "GF(3)", 24)}) {
    SCOPED_TRACE(expression);
    const Table table =
        denseBasis(parseExpression(expression, {.field = Field::parse(field)}).expand(), random);
    const Decomposition decomposition = checked(table);
    EXPECT_EQ(dimensions(decomposition), std::vector<int64_t>(static_cast<size_t>(count), 1));
  }
  // x^63 - 1 over GF(2): degrees 1, 2, 3, 6 (9 times), of which three and six are many fields of one degree.
  std::vector<int64_t> degrees{1, 2, 3, 3};
  degrees.insert(degrees.end(), 9, 6);
  const Decomposition cyclic = checked(denseBasis(examples::cyclicGroup(Field::prime(2), 63), random));
  EXPECT_EQ(dimensions(cyclic), degrees);
  EXPECT_EQ(cyclic.center_dimension, 63);
}

} // namespace
