// Reduced bases: the same lattice, the products that they say, and small ones.
#include "algebras/structure/reduced_basis.h"

#include "algebras/constructions.h"
#include "algebras/linear/subspace.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/examples.h"

#include <gtest/gtest.h>

namespace {

using namespace algebras;

bool isIntegral(const Matrix &matrix) {
  for (std::int64_t row = 0; row < matrix.rows(); ++row)
    for (std::int64_t column = 0; column < matrix.columns(); ++column)
      if (!matrix.get(row, column).isInteger())
        return false;
  return true;
}

// rows in terms of the basis.
Matrix coordinates(const Matrix &basis, const Matrix &rows) {
  return solve(basis.transposed(), rows.transposed()).value().transposed();
}

Rational sumOfSquares(const Table &table) {
  Rational sum;
  for (const Constant &constant : table.constants())
    sum += constant.value * constant.value;
  return sum;
}

void expectProducts(const ProductOperator &product, const ReducedBasis &reduced) {
  ProductOperator own(reduced.product);
  ASSERT_EQ(own.dimension(), reduced.elements.rows());
  for (std::int64_t index = 0; index < own.dimension(); ++index)
    EXPECT_EQ(own.leftMatrix(own.unit(index)) * reduced.elements,
              reduced.elements * product.leftMatrix(reduced.elements.row(index)));
}

TEST(ReducedBasis, UndoesADenseChangeOfBasis) {
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
    ReducedBasis reduced = reducedBasis(product, slots);
    expectProducts(product, reduced);
    EXPECT_TRUE(isIntegral(reduced.elements));
    EXPECT_TRUE(isIntegral(coordinates(reduced.elements, slots)));
    EXPECT_LE(sumOfSquares(reduced.product), Rational(4) * sumOfSquares(table));
  }
}

TEST(ReducedBasis, OfRowsThatAreDependent) {
  std::mt19937 random(2);
  Table table = testing_support::denseBasis(matrices(3).expand(), random);
  ProductOperator product(table);
  // The left multiples of one element and their halves: a left ideal.
  Matrix multiples = product.rightMatrix(product.unit(0) - product.unit(5));
  Matrix rows = multiples.above(multiples.scaled(Rational(3, 2)));
  ReducedBasis reduced = reducedBasis(product, rows);
  EXPECT_EQ(reduced.elements.rows(), Subspace(rows).dimension());
  expectProducts(product, reduced);
  EXPECT_TRUE(isIntegral(coordinates(reduced.elements, rows)));
  // It is the lattice of the halves, 3/2 m - m, and nothing finer.
  EXPECT_TRUE(isIntegral(coordinates(reduced.elements, multiples.scaled(Rational(1, 2)))));
  EXPECT_TRUE(isIntegral(reduced.elements.scaled(Rational(2))));
}

TEST(ReducedBasis, RefusesFiniteFields) {
  ProductOperator product(matrices(2, Field::prime(5)).expand());
  EXPECT_THROW(reducedBasis(product, Matrix::identity(Field::prime(5), 4)), std::logic_error);
}

} // namespace
