#include "algebras/associativity/dense.h"

#include "algebras/linear/echelon.h"
#include "algebras/rational_flint.h"
#include "algebras/structure/product_operator.h"

#include <flint/fmpz.h>

#include <algorithm>
#include <random>

namespace algebras {

namespace {

// log2 of a bound for the entries of all differences, for constants scaled to integers.
std::size_t differenceBits(const Table &table) {
  Rational scale(1);
  fmpz *common = fmpq_numref(FlintAccess::get(scale));
  std::size_t largest = 0;
  for (const Constant &constant : table.constants())
    fmpz_lcm(common, common, fmpq_denref(FlintAccess::get(constant.value)));
  for (const Constant &constant : table.constants())
    largest = std::max(largest, fmpz_bits(fmpq_numref(FlintAccess::get(constant.value))));
  std::size_t entry = largest + fmpz_bits(common);
  std::size_t dimension_bits = 64 - __builtin_clzll(static_cast<unsigned long long>(table.dimension()));
  return 2 * entry + dimension_bits + 2;
}

// Table entries as matrices: L_k has row j, column l at c[k,j,l]; all of them in one, row k the flattened
// L_k.
struct DenseTable {
  Field field;
  std::int64_t n;
  Matrix flat;

  explicit DenseTable(const Table &table)
      : field(table.field()), n(table.dimension()), flat(table.field(), n, n * n) {
    for (const Constant &constant : table.constants())
      nmod_mat_entry(flat.modular(), constant.i, constant.j * n + constant.k) =
          constant.value.integerModulo(field.characteristic()).value();
  }
  Matrix left(std::int64_t slot) const { return flat.row(slot).reshaped(n); }
  // Row i is b_i b_slot.
  Matrix right(std::int64_t slot) const {
    Matrix result(field, n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < n; ++k)
        nmod_mat_entry(result.modular(), i, k) = nmod_mat_entry(flat.modular(), i, slot * n + k);
    return result;
  }
};

std::optional<Witness> witnessModulo(const DenseTable &table, const std::vector<std::int64_t> &seconds) {
  for (std::int64_t j : seconds) {
    // Row i, at (k, l): (b_i b_j) b_k.
    Matrix outer = table.right(j) * table.flat;
    Matrix own = table.left(j);
    for (std::int64_t i = 0; i < table.n; ++i) {
      // Row k: b_i (b_j b_k).
      Matrix inner = own * table.left(i);
      for (std::int64_t k = 0; k < table.n; ++k)
        for (std::int64_t l = 0; l < table.n; ++l)
          if (nmod_mat_entry(inner.modular(), k, l) != nmod_mat_entry(outer.modular(), i, k * table.n + l))
            return Witness{i, j, k, l};
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<Witness> findNonassociativeDense(const Table &table, const std::vector<std::int64_t> &seconds) {
  if (!table.field().isRationals())
    return witnessModulo(DenseTable(table), seconds);
  constexpr std::size_t kBitsOfAPrime = 61; // at least: they descend from 2^62
  std::size_t bits = differenceBits(table);
  std::uint64_t p = 0;
  for (std::size_t proved = 0; proved <= bits;) {
    p = nextModulus(p);
    // A prime that divides the common denominator says nothing.
    std::optional<Table> image = ProductOperator::modulo(table, p);
    if (!image)
      continue;
    if (std::optional<Witness> witness = witnessModulo(DenseTable(*image), seconds))
      return witness;
    proved += kBitsOfAPrime;
  }
  return std::nullopt;
}

std::int64_t firstFailing(const Table &table, std::int64_t limit) {
  std::optional<Table> image;
  for (std::uint64_t p = 0; !image;)
    image = table.field().isRationals() ? ProductOperator::modulo(table, p = nextModulus(p)) : table;
  ProductOperator product(*image);
  std::mt19937_64 random(1);
  std::int64_t n = table.dimension();
  Matrix y(image->field(), 1, n), z(image->field(), 1, n);
  for (Matrix *one : {&y, &z})
    for (std::int64_t slot = 0; slot < n; ++slot)
      one->set(0, slot, Rational(static_cast<std::int64_t>(random() >> 2)));
  // Row i: (b_i y) z and b_i (y z).
  Matrix outer = product.rightMatrix(y) * product.rightMatrix(z);
  Matrix inner = product.rightMatrix(product.multiply(y, z));
  Matrix difference = outer - inner;
  for (std::int64_t i = 0; i < limit; ++i)
    if (!difference.row(i).isZero())
      return i;
  return limit;
}

} // namespace algebras
