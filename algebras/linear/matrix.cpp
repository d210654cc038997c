#include "algebras/linear/matrix.h"

#include "algebras/rational_flint.h"

#include <stdexcept>

namespace algebras {

namespace {

void require(bool holds, const char *what) {
  if (!holds)
    throw std::logic_error(what);
}

} // namespace

Matrix::Matrix(Field field, int64_t rows, int64_t columns) : field_(field) {
  if (field_.isRationals())
    fmpq_mat_init(&rational_, rows, columns);
  else
    nmod_mat_init(&modular_, rows, columns, field_.characteristic());
}

Matrix::Matrix(const Matrix &other) : Matrix(other.field_, other.rows(), other.columns()) {
  if (field_.isRationals())
    fmpq_mat_set(&rational_, &other.rational_);
  else
    nmod_mat_set(&modular_, &other.modular_);
}

Matrix::Matrix(Matrix &&other) noexcept : Matrix(other.field_, 0, 0) { swap(other); }

Matrix &Matrix::operator=(Matrix other) noexcept {
  swap(other);
  return *this;
}

void Matrix::swap(Matrix &other) noexcept {
  // The structs are plain records of pointers and sizes, so that they can be exchanged by value.
  Field field = field_;
  if (field_.isRationals() && other.field_.isRationals()) {
    std::swap(rational_, other.rational_);
  } else if (!field_.isRationals() && !other.field_.isRationals()) {
    std::swap(modular_, other.modular_);
  } else if (field_.isRationals()) {
    fmpq_mat_struct own = rational_;
    modular_ = other.modular_;
    other.rational_ = own;
  } else {
    nmod_mat_struct own = modular_;
    rational_ = other.rational_;
    other.modular_ = own;
  }
  field_ = other.field_;
  other.field_ = field;
}

Matrix::~Matrix() {
  if (field_.isRationals())
    fmpq_mat_clear(&rational_);
  else
    nmod_mat_clear(&modular_);
}

Matrix Matrix::identity(const Field &field, int64_t order) {
  Matrix result(field, order, order);
  if (field.isRationals())
    fmpq_mat_one(&result.rational_);
  else
    nmod_mat_one(&result.modular_);
  return result;
}

Matrix Matrix::fromSparse(const Field &field, int64_t columns, const SparseVector &vector) {
  return fromSparse(field, columns, std::span(&vector, 1));
}

Matrix Matrix::fromSparse(const Field &field, int64_t columns, std::span<const SparseVector> vectors) {
  Matrix result(field, static_cast<int64_t>(vectors.size()), columns);
  for (size_t row = 0; row < vectors.size(); ++row)
    for (const auto &[slot, value] : vectors[row])
      result.set(static_cast<int64_t>(row), slot, value);
  return result;
}

int64_t Matrix::rows() const { return field_.isRationals() ? rational_.r : modular_.r; }
int64_t Matrix::columns() const { return field_.isRationals() ? rational_.c : modular_.c; }

Rational Matrix::get(int64_t row, int64_t column) const {
  if (!field_.isRationals())
    return Rational(static_cast<int64_t>(nmod_mat_entry(&modular_, row, column)));
  Rational result;
  fmpq_set(FlintAccess::get(result), fmpq_mat_entry(&rational_, row, column));
  return result;
}

void Matrix::set(int64_t row, int64_t column, const Rational &value) {
  if (field_.isRationals())
    fmpq_set(fmpq_mat_entry(&rational_, row, column), FlintAccess::get(value));
  else
    nmod_mat_entry(&modular_, row, column) =
        field_.reduce(value).integerModulo(field_.characteristic()).value();
}

bool Matrix::isZeroAt(int64_t row, int64_t column) const {
  return field_.isRationals() ? fmpq_is_zero(fmpq_mat_entry(&rational_, row, column))
                              : nmod_mat_entry(&modular_, row, column) == 0;
}

bool Matrix::isZero() const {
  return field_.isRationals() ? fmpq_mat_is_zero(&rational_) : nmod_mat_is_zero(&modular_);
}

SparseVector Matrix::sparseRow(int64_t row) const {
  SparseVector result;
  for (int64_t column = 0; column < columns(); ++column)
    if (!isZeroAt(row, column))
      result.emplace_back(column, get(row, column));
  return result;
}

Matrix Matrix::row(int64_t index) const { return rowRange(index, 1); }

Matrix Matrix::rowRange(int64_t first, int64_t count) const {
  require(first >= 0 && count >= 0 && first + count <= rows(), "Matrix: rows out of range");
  std::vector<int64_t> chosen(count);
  for (int64_t index = 0; index < count; ++index)
    chosen[index] = first + index;
  return selectRows(chosen);
}

Matrix Matrix::selectRows(std::span<const int64_t> chosen) const {
  Matrix result(field_, static_cast<int64_t>(chosen.size()), columns());
  for (size_t row = 0; row < chosen.size(); ++row)
    for (int64_t column = 0; column < columns(); ++column)
      if (field_.isRationals())
        fmpq_set(fmpq_mat_entry(&result.rational_, row, column),
                 fmpq_mat_entry(&rational_, chosen[row], column));
      else
        nmod_mat_entry(&result.modular_, row, column) = nmod_mat_entry(&modular_, chosen[row], column);
  return result;
}

Matrix Matrix::selectColumns(std::span<const int64_t> chosen) const {
  Matrix result(field_, rows(), static_cast<int64_t>(chosen.size()));
  for (int64_t row = 0; row < rows(); ++row)
    for (size_t column = 0; column < chosen.size(); ++column)
      if (field_.isRationals())
        fmpq_set(fmpq_mat_entry(&result.rational_, row, column),
                 fmpq_mat_entry(&rational_, row, chosen[column]));
      else
        nmod_mat_entry(&result.modular_, row, column) = nmod_mat_entry(&modular_, row, chosen[column]);
  return result;
}

Matrix Matrix::spreadColumns(std::span<const int64_t> places, int64_t columns) const {
  require(static_cast<int64_t>(places.size()) == this->columns(), "Matrix: one place for each column");
  Matrix result(field_, rows(), columns);
  for (int64_t row = 0; row < rows(); ++row)
    for (size_t column = 0; column < places.size(); ++column)
      if (field_.isRationals())
        fmpq_set(fmpq_mat_entry(&result.rational_, row, places[column]),
                 fmpq_mat_entry(&rational_, row, column));
      else
        nmod_mat_entry(&result.modular_, row, places[column]) = nmod_mat_entry(&modular_, row, column);
  return result;
}

Matrix Matrix::transposed() const {
  Matrix result(field_, columns(), rows());
  if (field_.isRationals())
    fmpq_mat_transpose(&result.rational_, &rational_);
  else
    nmod_mat_transpose(&result.modular_, &modular_);
  return result;
}

Matrix Matrix::above(const Matrix &lower) const {
  require(columns() == lower.columns() && field_ == lower.field_, "Matrix: stacking different widths");
  Matrix result(field_, rows() + lower.rows(), columns());
  if (field_.isRationals())
    fmpq_mat_concat_vertical(&result.rational_, &rational_, &lower.rational_);
  else
    nmod_mat_concat_vertical(&result.modular_, &modular_, &lower.modular_);
  return result;
}

Matrix Matrix::besides(const Matrix &right) const {
  require(rows() == right.rows() && field_ == right.field_, "Matrix: joining different heights");
  Matrix result(field_, rows(), columns() + right.columns());
  if (field_.isRationals())
    fmpq_mat_concat_horizontal(&result.rational_, &rational_, &right.rational_);
  else
    nmod_mat_concat_horizontal(&result.modular_, &modular_, &right.modular_);
  return result;
}

Matrix Matrix::flattened() const { return reshaped(rows() * columns()); }

Matrix Matrix::reshaped(int64_t new_columns) const {
  int64_t size = rows() * columns();
  require(new_columns > 0 ? size % new_columns == 0 : size == 0, "Matrix: reshaping to another size");
  Matrix result(field_, new_columns > 0 ? size / new_columns : 0, new_columns);
  for (int64_t at = 0; at < size; ++at)
    if (field_.isRationals())
      fmpq_set(fmpq_mat_entry(&result.rational_, at / new_columns, at % new_columns),
               fmpq_mat_entry(&rational_, at / columns(), at % columns()));
    else
      nmod_mat_entry(&result.modular_, at / new_columns, at % new_columns) =
          nmod_mat_entry(&modular_, at / columns(), at % columns());
  return result;
}

Matrix operator*(const Matrix &left, const Matrix &right) {
  require(left.columns() == right.rows() && left.field_ == right.field_, "Matrix: shapes of a product");
  Matrix result(left.field_, left.rows(), right.columns());
  if (left.field_.isRationals())
    fmpq_mat_mul(&result.rational_, &left.rational_, &right.rational_);
  else
    nmod_mat_mul(&result.modular_, &left.modular_, &right.modular_);
  return result;
}

Matrix operator+(const Matrix &left, const Matrix &right) {
  require(left.rows() == right.rows() && left.columns() == right.columns() && left.field_ == right.field_,
          "Matrix: shapes of a sum");
  Matrix result(left.field_, left.rows(), left.columns());
  if (left.field_.isRationals())
    fmpq_mat_add(&result.rational_, &left.rational_, &right.rational_);
  else
    nmod_mat_add(&result.modular_, &left.modular_, &right.modular_);
  return result;
}

Matrix operator-(const Matrix &left, const Matrix &right) { return left + right.scaled(Rational(-1)); }

Matrix Matrix::scaled(const Rational &factor) const {
  Matrix result(field_, rows(), columns());
  if (field_.isRationals()) {
    for (int64_t row = 0; row < rows(); ++row)
      for (int64_t column = 0; column < columns(); ++column)
        fmpq_mul(fmpq_mat_entry(&result.rational_, row, column), fmpq_mat_entry(&rational_, row, column),
                 FlintAccess::get(factor));
  } else {
    nmod_mat_scalar_mul(&result.modular_, &modular_,
                        field_.reduce(factor).integerModulo(field_.characteristic()).value());
  }
  return result;
}

bool operator==(const Matrix &left, const Matrix &right) {
  if (left.field_ != right.field_ || left.rows() != right.rows() || left.columns() != right.columns())
    return false;
  return left.field_.isRationals() ? fmpq_mat_equal(&left.rational_, &right.rational_)
                                   : nmod_mat_equal(&left.modular_, &right.modular_);
}

} // namespace algebras
