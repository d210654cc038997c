// The product of an algebra as matrices: multiplication by one element is linear in the other.
#pragma once

#include "algebras/linear/matrix.h"
#include "algebras/table/table.h"

#include <flint/fmpz.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Elements are row vectors, so that a stack Y of elements is multiplied by one product of matrices:
// the rows of Y * leftMatrix(x) are x y, those of Y * rightMatrix(x) are y x.
class ProductOperator {
public:
  explicit ProductOperator(const Table &table);
  ProductOperator(const ProductOperator &) = delete;
  ProductOperator &operator=(const ProductOperator &) = delete;
  ~ProductOperator();

  const Field &field() const { return field_; }
  int64_t dimension() const { return dimension_; }
  int64_t nonzeros() const { return static_cast<int64_t>(entries_.size()); }

  // Row j is x b_j. One pass over the constants.
  Matrix leftMatrix(const Matrix &x) const;
  // Row i is b_i x.
  Matrix rightMatrix(const Matrix &x) const;
  // x y, for one row each. One pass over the constants.
  Matrix multiply(const Matrix &x, const Matrix &y) const;
  Matrix unit(int64_t slot) const;

  // sum_k c[i,j,k] form[k] at (i, j): the bilinear form x, y -> form(x y). `form` is one row.
  Matrix bilinear(const Matrix &form) const;
  // tr(L_x) as a row: its entry k is the trace of multiplication by b_k from the left.
  Matrix traces() const;

  // The same product modulo p: of a table over Q, p must not divide the common denominator (then nothing).
  static std::optional<Table> modulo(const Table &table, uint64_t p);

private:
  struct Entry {
    int32_t i, j, k;
    union {
      fmpz integer;      // over Q: the constant times denominator_
      mp_limb_t residue; // over GF(p)
    };
  };

  // Adds factors[slot of an entry] * constant into a matrix, at places that the entry gives.
  template <typename Factor, typename Place>
  Matrix accumulate(int64_t rows, int64_t columns, const Matrix &factors, Factor factor, Place place) const;

  Field field_;
  int64_t dimension_;
  std::vector<Entry> entries_;
  fmpz_t denominator_;
};

} // namespace algebras
