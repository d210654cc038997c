// Lattices: their bases, reduced ones with small products, and the constants that go with a change of basis.
#include "algebras/structure/lattice.h"

#include "algebras/constructions.h"
#include "algebras/linear/subspace.h"
#include "algebras/rational_flint.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/examples.h"

#include <gtest/gtest.h>

namespace {

using namespace algebras;

bool isIntegral(const Matrix &matrix) {
  for (int64_t row = 0; row < matrix.rows(); ++row)
    for (int64_t column = 0; column < matrix.columns(); ++column)
      if (!matrix.get(row, column).isInteger())
        return false;
  return true;
}

Rational sumOfSquares(const Table &table) {
  Rational sum;
  for (const Constant &constant : table.constants())
    sum += constant.value * constant.value;
  return sum;
}

void expectProducts(const ProductOperator &product, const Lattice &lattice) {
  ProductOperator own(lattice.table());
  ASSERT_EQ(own.dimension(), lattice.elements().rows());
  for (int64_t index = 0; index < own.dimension(); ++index)
    EXPECT_EQ(own.leftMatrix(own.unit(index)) * lattice.elements(),
              lattice.elements() * product.leftMatrix(lattice.elements().row(index)));
}

TEST(Lattice, UndoesADenseChangeOfBasis) {
  std::mt19937 random(1);
  for (const Algebra &algebra :
       {matrices(4), tensor(tableAlgebra(examples::clifford(Field(), {-1, -1})), matrices(2)),
        tableAlgebra(examples::clifford(Field(), {2, 7, 5}))}) {
    Table table = algebra.expand(), dense = table;
    for (int change = 0; change < 3; ++change)
      dense = testing_support::denseBasis(dense, random);
    ASSERT_GT(sumOfSquares(dense), Rational(100) * sumOfSquares(table));
    ProductOperator product(dense);
    Matrix slots = Matrix::identity(Field(), dense.dimension());
    Lattice lattice(product, slots);
    expectProducts(product, lattice);
    lattice.reduce();
    expectProducts(product, lattice);
    EXPECT_TRUE(isIntegral(lattice.elements()));
    EXPECT_TRUE(isIntegral(lattice.coordinates(slots)));
    EXPECT_LE(sumOfSquares(lattice.table()), Rational(4) * sumOfSquares(table));
  }
}

TEST(Lattice, OfRowsThatAreDependent) {
  std::mt19937 random(2);
  Table table = testing_support::denseBasis(matrices(3).expand(), random);
  ProductOperator product(table);
  // The left multiples of one element and their halves: a left ideal.
  Matrix multiples = product.rightMatrix(product.unit(0) - product.unit(5));
  Matrix rows = multiples.above(multiples.scaled(Rational(3, 2)));
  Lattice lattice(product, rows);
  lattice.reduce();
  EXPECT_EQ(lattice.dimension(), Subspace(rows).dimension());
  expectProducts(product, lattice);
  EXPECT_TRUE(isIntegral(lattice.coordinates(rows)));
  // It is the lattice of the halves, 3/2 m - m, and nothing finer.
  EXPECT_TRUE(isIntegral(lattice.coordinates(multiples.scaled(Rational(1, 2)))));
  EXPECT_TRUE(isIntegral(lattice.elements().scaled(Rational(2))));
}

TEST(Lattice, ChangesOfBasisThatAreNotUnimodular) {
  Table table = examples::clifford(Field(), {-1, 3});
  ProductOperator product(table);
  Lattice lattice(product, Matrix::identity(Field(), 4));
  EXPECT_TRUE(lattice.denominator().isOne());
  Matrix change = Matrix::identity(Field(), 4);
  change.set(3, 0, Rational(1, 2));
  change.set(3, 1, Rational(-1, 6));
  change.set(1, 2, Rational(4));
  lattice.changeBasis(change);
  EXPECT_EQ(lattice.elements(), change);
  EXPECT_FALSE(lattice.denominator().isOne());
  expectProducts(product, lattice);
  // b_s v_t in terms of the v: with the elements of the table as the v, which are the rows of the inverse.
  Matrix back = lattice.coordinates(Matrix::identity(Field(), 4));
  ScaledIntegers products = lattice.timesBasis(back);
  for (int64_t s = 0; s < 4; ++s)
    for (int64_t t = 0; t < 4; ++t) {
      Matrix expected = product.multiply(change.row(s), product.unit(t));
      for (int64_t j = 0; j < 4; ++j) {
        Rational value;
        fmpz_set(fmpq_numref(FlintAccess::get(value)), products.numerators.at(s, t * 4 + j));
        EXPECT_EQ(value / products.denominator, expected.get(0, j));
      }
    }
  // The same lattice from more rows than it has dimensions.
  lattice.span(back.above(back.scaled(Rational(3))));
  EXPECT_TRUE(isIntegral(lattice.elements()));
  EXPECT_TRUE(isIntegral(lattice.coordinates(Matrix::identity(Field(), 4))));
}

TEST(Lattice, RefusesFiniteFields) {
  ProductOperator product(matrices(2, Field::prime(5)).expand());
  EXPECT_THROW(Lattice(product, Matrix::identity(Field::prime(5), 4)), std::logic_error);
}

} // namespace
