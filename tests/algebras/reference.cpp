#include "tests/algebras/reference.h"

namespace reference {

namespace {

uint64_t power(uint64_t base, uint64_t exponent, uint64_t p) {
  uint64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % p)
    if (exponent % 2)
      result = result * base % p;
  return result;
}

// Reduced row echelon form; the pivot columns.
std::vector<size_t> reduce(Matrix &rows, uint64_t p) {
  std::vector<size_t> pivots;
  size_t columns = rows.empty() ? 0 : rows[0].size();
  for (size_t column = 0; column < columns && pivots.size() < rows.size(); ++column) {
    size_t top = pivots.size(), found = top;
    while (found < rows.size() && rows[found][column] == 0)
      ++found;
    if (found == rows.size())
      continue;
    std::swap(rows[top], rows[found]);
    uint64_t inverse = power(rows[top][column], p - 2, p);
    for (uint64_t &value : rows[top])
      value = value * inverse % p;
    for (size_t row = 0; row < rows.size(); ++row)
      if (row != top && rows[row][column] != 0) {
        uint64_t factor = p - rows[row][column];
        for (size_t at = column; at < columns; ++at)
          rows[row][at] = (rows[row][at] + factor * rows[top][at]) % p;
      }
    pivots.push_back(column);
  }
  rows.resize(pivots.size());
  return pivots;
}

} // namespace

int64_t rank(Matrix rows, uint64_t p) { return static_cast<int64_t>(reduce(rows, p).size()); }

Matrix kernel(Matrix rows, size_t columns, uint64_t p) {
  std::vector<size_t> pivots = reduce(rows, p);
  Matrix result;
  for (size_t column = 0, next = 0; column < columns; ++column) {
    if (next < pivots.size() && pivots[next] == column) {
      ++next;
      continue;
    }
    Vector vector(columns);
    vector[column] = 1;
    for (size_t row = 0; row < pivots.size(); ++row)
      vector[pivots[row]] = (p - rows[row][column]) % p;
    result.push_back(vector);
  }
  return result;
}

Product::Product(const algebras::Table &table)
    : p_(table.field().isRationals() ? reference_prime : table.field().characteristic()),
      dimension_(table.dimension()), c_(dimension_ * dimension_ * dimension_) {
  for (const algebras::Constant &constant : table.constants())
    c_[(constant.i * dimension_ + constant.j) * dimension_ + constant.k] =
        algebras::Field::prime(p_).reduce(constant.value).integerModulo(p_).value();
}

Vector Product::multiply(const Vector &x, const Vector &y) const {
  Vector result(dimension_);
  for (int64_t i = 0; i < dimension_; ++i)
    for (int64_t j = 0; j < dimension_; ++j) {
      uint64_t factor = x[i] * y[j] % p_;
      if (factor == 0)
        continue;
      for (int64_t k = 0; k < dimension_; ++k)
        result[k] = (result[k] + factor * c_[(i * dimension_ + j) * dimension_ + k]) % p_;
    }
  return result;
}

Vector Product::unit(int64_t slot) const {
  Vector result(dimension_);
  result[slot] = 1;
  return result;
}

bool Product::isAssociative() const {
  for (int64_t i = 0; i < dimension_; ++i)
    for (int64_t j = 0; j < dimension_; ++j)
      for (int64_t k = 0; k < dimension_; ++k)
        if (multiply(multiply(unit(i), unit(j)), unit(k)) != multiply(unit(i), multiply(unit(j), unit(k))))
          return false;
  return true;
}

bool Product::differs(int64_t i, int64_t j, int64_t k, int64_t l) const {
  return multiply(multiply(unit(i), unit(j)), unit(k))[l] != multiply(unit(i), multiply(unit(j), unit(k)))[l];
}

bool Product::isCommutative() const {
  for (int64_t i = 0; i < dimension_; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (multiply(unit(i), unit(j)) != multiply(unit(j), unit(i)))
        return false;
  return true;
}

bool Product::isIdentity(const Vector &u) const {
  for (int64_t slot = 0; slot < dimension_; ++slot)
    if (multiply(u, unit(slot)) != unit(slot) || multiply(unit(slot), u) != unit(slot))
      return false;
  return true;
}

int64_t Product::centerDimension() const {
  Matrix rows;
  for (int64_t j = 0; j < dimension_; ++j)
    for (int64_t k = 0; k < dimension_; ++k) {
      Vector row(dimension_);
      for (int64_t i = 0; i < dimension_; ++i)
        row[i] =
            (c_[(i * dimension_ + j) * dimension_ + k] + p_ - c_[(j * dimension_ + i) * dimension_ + k]) % p_;
      rows.push_back(row);
    }
  return dimension_ - rank(rows, p_);
}

Matrix Product::radical() const {
  Vector trace(dimension_); // of left multiplication
  for (int64_t i = 0; i < dimension_; ++i)
    for (int64_t j = 0; j < dimension_; ++j)
      trace[i] = (trace[i] + c_[(i * dimension_ + j) * dimension_ + j]) % p_;
  Matrix form(dimension_, Vector(dimension_));
  for (int64_t i = 0; i < dimension_; ++i)
    for (int64_t j = 0; j < dimension_; ++j)
      for (int64_t k = 0; k < dimension_; ++k)
        form[i][j] = (form[i][j] + c_[(i * dimension_ + j) * dimension_ + k] * trace[k]) % p_;
  return kernel(form, dimension_, p_);
}

std::vector<int64_t> Product::radicalSeries() const {
  Matrix rad = radical(), current = rad;
  std::vector<int64_t> result{static_cast<int64_t>(rad.size())};
  while (result.back() > 0) {
    Matrix products;
    for (const Vector &x : rad)
      for (const Vector &y : current)
        products.push_back(multiply(x, y));
    reduce(products, p_);
    current = products;
    result.push_back(static_cast<int64_t>(current.size()));
  }
  return result;
}

// z is central modulo rad when every commutator lies in rad: linear in (z, coefficients of rad).
int64_t Product::quotientCenterDimension() const {
  Matrix rad = radical();
  auto r = static_cast<int64_t>(rad.size());
  // Forms that vanish exactly on rad.
  Matrix annihilator = r == 0 ? Matrix() : kernel(rad, dimension_, p_);
  if (r == 0)
    for (int64_t slot = 0; slot < dimension_; ++slot)
      annihilator.push_back(unit(slot));
  Matrix rows;
  for (int64_t j = 0; j < dimension_; ++j)
    for (const Vector &form : annihilator) {
      Vector row(dimension_);
      for (int64_t i = 0; i < dimension_; ++i)
        for (int64_t k = 0; k < dimension_; ++k)
          row[i] = (row[i] + form[k] * ((c_[(i * dimension_ + j) * dimension_ + k] + p_ -
                                         c_[(j * dimension_ + i) * dimension_ + k]) %
                                        p_)) %
                   p_;
      rows.push_back(row);
    }
  return dimension_ - rank(rows, p_) - r;
}

} // namespace reference
