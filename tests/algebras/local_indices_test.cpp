// Maximal orders and local indices of central simple algebras whose invariants are known.
#include "algebras/structure/local_indices.h"

#include "algebras/constructions.h"
#include "algebras/linear/integer_factors.h"
#include "algebras/rational_flint.h"
#include "algebras/structure/maximal_order.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/examples.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace algebras;
using testing_support::denseBasis;
using Numbers = std::vector<int64_t>;

Algebra quaternions(int64_t a, int64_t b) { return tableAlgebra(examples::clifford(Field(), {a, b})); }

Algebra numberField(std::vector<int64_t> polynomial) {
  return tableAlgebra(examples::polynomials(Field(), std::move(polynomial)));
}

Polynomial polynomial(const std::vector<int64_t> &lower) {
  Polynomial result;
  for (int64_t coefficient : lower)
    result.push_back(Rational(coefficient));
  result.push_back(Rational(1));
  return result;
}

Matrix unitOf(const Table &table) {
  return Matrix::fromSparse(table.field(), table.dimension(), findIdentity(table).value());
}

// The discriminant of the trace form of multiplication.
Rational discriminant(const Lattice &lattice) {
  ProductOperator product(lattice.table());
  Matrix form = product.bilinear(product.traces());
  Rational result;
  fmpq_mat_det(FlintAccess::get(result), form.rational());
  return result;
}

TEST(LocalIndices, OfSimpleAlgebrasInAnyBasis) {
  struct Case {
    const char *name;
    Algebra algebra;
    std::vector<int64_t> center; // its polynomial
    int64_t degree, index;
    const char *places;
  };
  Algebra h = quaternions(-1, -1);
  std::mt19937 random(17);
  for (const Case &one : {
           Case{"M(3)", matrices(3), {-1}, 3, 1, ""},
           Case{"H", h, {-1}, 2, 2, "2 at 2, infinity"},
           Case{"(2, 3)", quaternions(2, 3), {-1}, 2, 2, "2 at 2, 3"},
           Case{"(-1, 5)", quaternions(-1, 5), {-1}, 2, 1, ""},
           Case{"H * M(2)", tensor(h, matrices(2)), {-1}, 4, 2, "2 at 2, infinity"},
           Case{"H * (2, 3)", tensor(h, quaternions(2, 3)), {-1}, 4, 2, "2 at 3, infinity"},
           Case{"(2, 3) * Q(sqrt 2)", tensor(quaternions(2, 3), numberField({-2, 0})), {-2, 0}, 2, 1, ""},
           Case{"(2, 3) * Q(sqrt 7)",
                tensor(quaternions(2, 3), numberField({-7, 0})),
                {-7, 0},
                2,
                2,
                "2 at 3 (2 places)"},
           Case{"H * Q(sqrt -7)", tensor(h, numberField({7, 0})), {7, 0}, 2, 2, "2 at 2 (2 places)"},
           Case{"H * Q(cube root of 2)",
                tensor(h, numberField({-2, 0, 0})),
                {-2, 0, 0},
                2,
                2,
                "2 at 2, infinity"},
           // Cyclic algebras: of Q(zeta_7 + 1/zeta_7), in which 2 is inert, and of Q(zeta_5).
           Case{"(zeta_7, 2)",
                tableAlgebra(examples::cyclic({-1, -2, 1}, {-2, 0, 1}, 2)),
                {-1},
                3,
                3,
                "3 at 2, 7"},
           Case{"(zeta_7, 8)", tableAlgebra(examples::cyclic({-1, -2, 1}, {-2, 0, 1}, 8)), {-1}, 3, 1, ""},
           Case{"(zeta_5, 2)",
                tableAlgebra(examples::cyclic({1, 1, 1, 1}, {0, 0, 1}, 2)),
                {-1},
                4,
                4,
                "4 at 2, 5"},
           Case{"(zeta_5, 4)",
                tableAlgebra(examples::cyclic({1, 1, 1, 1}, {0, 0, 1}, 4)),
                {-1},
                4,
                2,
                "2 at 2, 5"},
       })
    for (bool dense : {false, true}) {
      SCOPED_TRACE(one.name + std::string(dense ? ", dense" : ""));
      Table table = one.algebra.expand();
      if (dense)
        table = denseBasis(table, random);
      ProductOperator product(table);
      // A lattice that is no order, and far from a maximal one.
      Lattice lattice(product, Matrix::identity(Field(), table.dimension()).scaled(Rational(1, 3)));
      LocalIndices indices = localIndices(lattice, unitOf(table), polynomial(one.center), one.degree);
      EXPECT_TRUE(indices.complete);
      EXPECT_EQ(indices.common_multiple, one.index);
      EXPECT_EQ(indices.places, one.places);
    }
}

TEST(MaximalOrders, OfMatricesHaveTheLeastDiscriminant) {
  // 1, and the multiples of 60 of the matrix units: maximal orders are conjugates of M(2, Z), whose matrix
  // units have the discriminant of x, y -> 2 tr(x y), -16.
  Table table = matrices(2).expand();
  ProductOperator product(table);
  Lattice order(product, Matrix::identity(Field(), 4).scaled(Rational(60)));
  makeOrder(order, unitOf(table));
  EXPECT_TRUE(order.denominator().isOne());
  for (uint64_t p : {2, 3, 5})
    EXPECT_EQ(maximizeAt(order, p, 2), (Numbers{1}));
  EXPECT_EQ(discriminant(order), Rational(-16));
}

TEST(MaximalOrders, OfTheQuaternionsAreHurwitzs) {
  // The discriminant of the reduced trace form is that of the ramified primes squared: 2^2, times 2^4.
  Table table = examples::clifford(Field(), {-1, -1});
  ProductOperator product(table);
  Lattice order(product, Matrix::identity(Field(), 4));
  makeOrder(order, unitOf(table));
  EXPECT_EQ(order.elements(), Matrix::identity(Field(), 4));
  EXPECT_EQ(maximizeAt(order, 2, 2), (Numbers{2}));
  EXPECT_EQ(maximizeAt(order, 3, 2), (Numbers{1}));
  Rational own = discriminant(order);
  EXPECT_EQ(own.sign() < 0 ? -own : own, Rational(64));
}

TEST(MaximalOrders, GrowFromHereditaryOnes) {
  // (Z, Z; 7 Z, Z) is hereditary at 7, and not maximal.
  Table table = matrices(2).expand();
  ProductOperator product(table);
  Matrix rows = Matrix::identity(Field(), 4);
  rows.set(2, 2, Rational(7));
  Lattice order(product, rows);
  makeOrder(order, unitOf(table));
  EXPECT_EQ(maximizeAt(order, 7, 2), (Numbers{1}));
  EXPECT_EQ(discriminant(order), Rational(-16));
}

TEST(IntegerFactors, OfPowersAndLargePrimes) {
  auto text = [](const char *value) {
    std::string result;
    std::optional<std::vector<PrimePower>> factors = factorInteger(Rational::parse(value));
    if (!factors)
      return std::string("too long");
    for (const PrimePower &power : *factors)
      result += power.prime.toString() + "^" + std::to_string(power.exponent) + " ";
    return result;
  };
  EXPECT_EQ(text("1"), "");
  EXPECT_EQ(text("-360"), "2^3 3^2 5^1 ");
  EXPECT_EQ(text("1000000014000000049"), "1000000007^2 ");
  // (10^9 + 7)^6 (10^9 + 9)^6 4, longer than what is factored but for its root.
  EXPECT_EQ(
      text("40000003840000168720004486400080410201023383049483478304473131839148084921810863457839583730956"
           "32762094008836"),
      "2^2 1000000007^6 1000000009^6 ");
  EXPECT_THROW(factorInteger(Rational()), std::logic_error);
  EXPECT_THROW(factorInteger(Rational(1, 2)), std::logic_error);
}

} // namespace
