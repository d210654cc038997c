// z is central exactly when it commutes with every basis element. Two or three random elements nearly always
// suffice to cut the candidates down to the centre; every candidate is then checked against the whole basis,
// so that the answer is exact.
#include "algebras/structure/table_structure.h"

#include "algebras/rational_flint.h"

#include <flint/fmpq.h>
#include <flint/fmpq_mat.h>
#include <flint/nmod_mat.h>

#include <random>

namespace algebras {

namespace {

constexpr std::int64_t kLargestDimension = 128;

using Vector = std::vector<Rational>;

// x y - y x.
Vector commutator(const Table &table, const Vector &x, const Vector &y) {
  Vector result(table.dimension());
  for (const Constant &constant : table.constants())
    result[constant.k] += constant.value * (x[constant.i] * y[constant.j] - y[constant.i] * x[constant.j]);
  for (Rational &value : result)
    value = table.field().reduce(value);
  return result;
}

Vector unit(std::int64_t dimension, std::int64_t slot) {
  Vector result(dimension);
  result[slot] = Rational(1);
  return result;
}

// A basis of the common kernel of rows, over Q.
std::vector<Vector> kernelOverRationals(const std::vector<Vector> &rows, std::int64_t columns) {
  fmpq_mat_t matrix;
  fmpq_mat_init(matrix, static_cast<slong>(rows.size()), columns);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      fmpq_set(fmpq_mat_entry(matrix, row, column), FlintAccess::get(rows[row][column]));
  slong rank = fmpq_mat_rref(matrix, matrix);
  std::vector<std::int64_t> pivots;
  for (slong row = 0, column = 0; row < rank; ++row, ++column) {
    while (fmpq_is_zero(fmpq_mat_entry(matrix, row, column)))
      ++column;
    pivots.push_back(column);
  }
  std::vector<Vector> kernel;
  for (std::int64_t column = 0, next = 0; column < columns; ++column) {
    if (next < static_cast<std::int64_t>(pivots.size()) && pivots[next] == column) {
      ++next;
      continue;
    }
    Vector vector = unit(columns, column);
    for (std::size_t row = 0; row < pivots.size(); ++row)
      fmpq_neg(FlintAccess::get(vector[pivots[row]]), fmpq_mat_entry(matrix, row, column));
    kernel.push_back(std::move(vector));
  }
  fmpq_mat_clear(matrix);
  return kernel;
}

std::vector<Vector> kernelModulo(std::uint64_t p, const std::vector<Vector> &rows, std::int64_t columns) {
  nmod_mat_t matrix, basis;
  nmod_mat_init(matrix, static_cast<slong>(rows.size()), columns, p);
  nmod_mat_init(basis, columns, columns, p);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      nmod_mat_entry(matrix, row, column) = rows[row][column].integerModulo(p).value();
  slong nullity = nmod_mat_nullspace(basis, matrix);
  std::vector<Vector> kernel(nullity, Vector(columns));
  for (slong vector = 0; vector < nullity; ++vector)
    for (std::int64_t row = 0; row < columns; ++row)
      kernel[vector][row] = Rational(static_cast<std::int64_t>(nmod_mat_entry(basis, row, vector)));
  nmod_mat_clear(matrix);
  nmod_mat_clear(basis);
  return kernel;
}

} // namespace

std::optional<std::int64_t> centerDimension(const Table &table) {
  std::int64_t dimension = table.dimension();
  if (dimension > kLargestDimension)
    return std::nullopt;
  std::vector<Vector> rows; // linear forms that vanish on the centre
  auto commuteWith = [&](const Vector &element) {
    std::vector<Vector> images;
    for (std::int64_t slot = 0; slot < dimension; ++slot)
      images.push_back(commutator(table, unit(dimension, slot), element));
    for (std::int64_t output = 0; output < dimension; ++output) {
      Vector form(dimension);
      for (std::int64_t slot = 0; slot < dimension; ++slot)
        form[slot] = images[slot][output];
      rows.push_back(std::move(form));
    }
  };
  std::mt19937_64 random(1);
  for (int sample = 0; sample < 2; ++sample) {
    Vector element(dimension);
    for (Rational &value : element)
      value = table.field().reduce(Rational(static_cast<std::int64_t>(random() % 101)));
    commuteWith(element);
  }
  for (;;) {
    std::vector<Vector> kernel = table.field().isRationals()
                                     ? kernelOverRationals(rows, dimension)
                                     : kernelModulo(table.field().characteristic(), rows, dimension);
    // The first basis element that some candidate does not commute with joins the conditions; at most
    // `dimension` times.
    std::optional<std::int64_t> missing;
    for (std::int64_t slot = 0; slot < dimension && !missing; ++slot)
      for (const Vector &candidate : kernel) {
        Vector difference = commutator(table, candidate, unit(dimension, slot));
        for (const Rational &value : difference)
          if (!value.isZero())
            missing = slot;
      }
    if (!missing)
      return static_cast<std::int64_t>(kernel.size());
    commuteWith(unit(dimension, *missing));
  }
}

} // namespace algebras
