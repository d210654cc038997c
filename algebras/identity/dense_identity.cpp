#include "algebras/identity/dense_identity.h"

#include "algebras/linear/echelon.h"
#include "algebras/structure/product_operator.h"

#include <random>

namespace algebras {

namespace {

bool isIdentity(const ProductOperator &product, const Matrix &candidate) {
  Matrix one = Matrix::identity(product.field(), product.dimension());
  return product.leftMatrix(candidate) == one && product.rightMatrix(candidate) == one;
}

} // namespace

bool isDense(const Table &table) {
  int64_t n = table.dimension();
  return n >= 24 && n <= 1024 && table.nonzeros() >= n * n * n / 8;
}

bool lacksIdentity(const Table &table, Side side) {
  std::optional<Table> image;
  for (uint64_t p = 0; !image;)
    image = table.field().isRationals() ? ProductOperator::modulo(table, p = nextModulus(p)) : table;
  const int64_t n = table.dimension();
  ProductOperator product(*image);
  std::mt19937_64 random(1);
  Matrix x(image->field(), 1, n);
  for (int64_t slot = 0; slot < n; ++slot)
    x.set(0, slot, Rational(static_cast<int64_t>(random() >> 2)));
  const Matrix equations = side == Side::Left ? product.rightMatrix(x) : product.leftMatrix(x);
  if (reducedEchelon(equations).rank() < n)
    return false;
  const Matrix unique = solve(equations.transposed(), x.transposed()).value().transposed();
  return !((side == Side::Left ? product.leftMatrix(unique) : product.rightMatrix(unique)) ==
           Matrix::identity(image->field(), n));
}

std::optional<SparseVector> guessIdentity(const Table &table) {
  ProductOperator product(table);
  std::mt19937_64 random(1);
  Matrix x(table.field(), 1, table.dimension());
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    x.set(0, slot, Rational(static_cast<int64_t>(random() % 7) - 3));
  std::optional<Matrix> candidate = solve(product.rightMatrix(x).transposed(), x.transposed());
  if (!candidate || !isIdentity(product, candidate->transposed()))
    return std::nullopt;
  return candidate->transposed().sparseRow(0);
}

bool isIdentityDense(const Table &table, const SparseVector &candidate) {
  ProductOperator product(table);
  return isIdentity(product, Matrix::fromSparse(table.field(), table.dimension(), candidate));
}

} // namespace algebras
