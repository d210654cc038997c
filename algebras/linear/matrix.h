// Dense matrices over Q or GF(p), with the arithmetic of FLINT.
#pragma once

#include "algebras/field.h"
#include "algebras/identity.h" // SparseVector
#include "algebras/rational.h"

#include <flint/fmpq_mat.h>
#include <flint/nmod_mat.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace algebras {

// A value: copies are deep, moves cheap. Elements of an algebra are matrices of one row. Operands need the
// same field and fitting shapes (std::logic_error otherwise); a result may be assigned to an operand. A
// product of n x n matrices costs n^3 operations in GF(p); over Q it is done on integer matrices with a
// common denominator for each row and column.
class Matrix {
public:
  Matrix(Field field, int64_t rows, int64_t columns); // zeros
  Matrix(const Matrix &);
  Matrix(Matrix &&) noexcept;
  Matrix &operator=(Matrix) noexcept;
  ~Matrix();

  static Matrix identity(const Field &field, int64_t order);
  // One row.
  static Matrix fromSparse(const Field &field, int64_t columns, const SparseVector &vector);
  // The given rows, one below the other.
  static Matrix fromSparse(const Field &field, int64_t columns, std::span<const SparseVector> vectors);

  const Field &field() const { return field_; }
  int64_t rows() const;
  int64_t columns() const;

  Rational get(int64_t row, int64_t column) const;
  void set(int64_t row, int64_t column, const Rational &value); // reduced into the field
  bool isZeroAt(int64_t row, int64_t column) const;
  bool isZero() const;
  SparseVector sparseRow(int64_t row) const;

  Matrix row(int64_t index) const;
  Matrix rowRange(int64_t first, int64_t count) const;
  Matrix selectRows(std::span<const int64_t> chosen) const;
  Matrix selectColumns(std::span<const int64_t> chosen) const;
  // A matrix of `columns` columns whose columns `places` are those of this one, and zero elsewhere.
  Matrix spreadColumns(std::span<const int64_t> places, int64_t columns) const;
  Matrix transposed() const;
  Matrix above(const Matrix &lower) const;   // stacked
  Matrix besides(const Matrix &right) const; // side by side
  Matrix flattened() const;                  // all rows in one
  Matrix reshaped(int64_t columns) const;    // row-major order kept

  friend Matrix operator*(const Matrix &left, const Matrix &right);
  friend Matrix operator+(const Matrix &left, const Matrix &right);
  friend Matrix operator-(const Matrix &left, const Matrix &right);
  Matrix scaled(const Rational &factor) const;
  friend bool operator==(const Matrix &left, const Matrix &right);

  // FLINT's view: the first over Q only, the second over GF(p) only.
  const fmpq_mat_struct *rational() const { return &rational_; }
  fmpq_mat_struct *rational() { return &rational_; }
  const nmod_mat_struct *modular() const { return &modular_; }
  nmod_mat_struct *modular() { return &modular_; }

private:
  void swap(Matrix &other) noexcept;

  Field field_;
  // NOLINTBEGIN(readability-identifier-naming): members of a private union are private
  union {
    fmpq_mat_struct rational_;
    nmod_mat_struct modular_;
  };
  // NOLINTEND(readability-identifier-naming)
};

// The sum of scaled rows: coefficients (1 x n) times rows (n x m).
inline Matrix combination(const Matrix &coefficients, const Matrix &rows) { return coefficients * rows; }

} // namespace algebras
