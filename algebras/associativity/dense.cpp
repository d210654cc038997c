#include "algebras/associativity/dense.h"

#include "algebras/linear/echelon.h"
#include "algebras/rational_flint.h"
#include "algebras/structure/product_operator.h"

#include <flint/fmpz.h>
#include <flint/ulong_extras.h>

#include <algorithm>
#include <random>

namespace algebras {

namespace {

// log2 of a bound for all differences, for constants scaled to integers.
size_t differenceBits(const Table &table, const Matrix &elements) {
  Rational scale(1);
  fmpz *common = fmpq_numref(FlintAccess::get(scale));
  size_t largest = 0, entry = 0;
  for (const Constant &constant : table.constants())
    fmpz_lcm(common, common, fmpq_denref(FlintAccess::get(constant.value)));
  for (const Constant &constant : table.constants())
    largest = std::max(largest, fmpz_bits(fmpq_numref(FlintAccess::get(constant.value))));
  for (int64_t row = 0; row < elements.rows(); ++row)
    for (int64_t slot = 0; slot < elements.columns(); ++slot)
      entry = std::max(entry, fmpz_bits(fmpq_mat_entry_num(elements.rational(), row, slot)));
  size_t dimension_bits = 64 - __builtin_clzll(static_cast<unsigned long long>(table.dimension()));
  return 2 * (largest + fmpz_bits(common)) + entry + 2 * dimension_bits + 2;
}

// Table entries as matrices: L_k has row j, column l at c[k,j,l]; all of them in one, row k the flattened
// L_k.
struct DenseTable {
  Field field;
  int64_t n;
  Matrix flat;

  explicit DenseTable(const Table &table)
      : field(table.field()), n(table.dimension()), flat(table.field(), n, n * n) {
    for (const Constant &constant : table.constants())
      nmod_mat_entry(flat.modular(), constant.i, constant.j * n + constant.k) =
          constant.value.integerModulo(field.characteristic()).value();
  }
  Matrix left(int64_t slot) const { return flat.row(slot).reshaped(n); }
};

std::optional<int64_t> failingModulo(const Table &table, const Matrix &elements) {
  DenseTable dense(table);
  ProductOperator product(table);
  for (int64_t element = 0; element < elements.rows(); ++element) {
    // Row i, at (k, l): (b_i g) b_k.
    Matrix outer = product.rightMatrix(elements.row(element)) * dense.flat;
    Matrix own = product.leftMatrix(elements.row(element));
    for (int64_t i = 0; i < dense.n; ++i) {
      // Row k: b_i (g b_k).
      Matrix inner = own * dense.left(i);
      for (int64_t k = 0; k < dense.n; ++k)
        for (int64_t l = 0; l < dense.n; ++l)
          if (nmod_mat_entry(inner.modular(), k, l) != nmod_mat_entry(outer.modular(), i, k * dense.n + l))
            return i;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<int64_t> findFailing(const Table &table, const Matrix &elements) {
  if (!table.field().isRationals())
    return failingModulo(table, elements);
  // n p^2 < 2^64.
  size_t dimension_bits = 64 - __builtin_clzll(static_cast<unsigned long long>(table.dimension()));
  size_t prime_bits = (64 - dimension_bits) / 2;
  size_t bits = differenceBits(table, elements);
  uint64_t p = uint64_t{1} << prime_bits;
  for (size_t proved = 0; proved <= bits;) {
    do
      --p;
    while (!n_is_prime(p));
    // A prime that divides the common denominator says nothing.
    std::optional<Table> image = ProductOperator::modulo(table, p);
    if (!image)
      continue;
    if (std::optional<int64_t> failing = failingModulo(*image, reduceModulo(elements, p).value()))
      return failing;
    proved += prime_bits - 1; // p > 2^(prime_bits - 1)
  }
  return std::nullopt;
}

int64_t firstFailing(const Table &table, int64_t limit) {
  std::optional<Table> image;
  for (uint64_t p = 0; !image;)
    image = table.field().isRationals() ? ProductOperator::modulo(table, p = nextModulus(p)) : table;
  ProductOperator product(*image);
  std::mt19937_64 random(1);
  int64_t n = table.dimension();
  Matrix y(image->field(), 1, n), z(image->field(), 1, n);
  for (Matrix *one : {&y, &z})
    for (int64_t slot = 0; slot < n; ++slot)
      one->set(0, slot, Rational(static_cast<int64_t>(random() >> 2)));
  // Row i: (b_i y) z and b_i (y z).
  Matrix outer = product.rightMatrix(y) * product.rightMatrix(z);
  Matrix inner = product.rightMatrix(product.multiply(y, z));
  Matrix difference = outer - inner;
  for (int64_t i = 0; i < limit; ++i)
    if (!difference.row(i).isZero())
      return i;
  return limit;
}

} // namespace algebras
