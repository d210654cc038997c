#include "algebras/structure/product_operator.h"

#include "algebras/rational_flint.h"

#include <flint/fmpq.h>
#include <flint/nmod_vec.h>

#include <stdexcept>

namespace algebras {

ProductOperator::ProductOperator(const Table &table) : field_(table.field()), dimension_(table.dimension()) {
  constexpr int64_t largest = int64_t{1} << 30;
  if (dimension_ > largest)
    throw std::logic_error("ProductOperator: the dimension is far beyond dense linear algebra");
  fmpz_init_set_ui(denominator_, 1);
  entries_.reserve(table.constants().size());
  if (field_.isRationals())
    for (const Constant &constant : table.constants())
      fmpz_lcm(denominator_, denominator_, fmpq_denref(FlintAccess::get(constant.value)));
  for (const Constant &constant : table.constants()) {
    Entry entry{static_cast<int32_t>(constant.i),
                static_cast<int32_t>(constant.j),
                static_cast<int32_t>(constant.k),
                {}};
    if (field_.isRationals()) {
      const fmpq *value = FlintAccess::get(constant.value);
      fmpz_init(&entry.integer);
      fmpz_divexact(&entry.integer, denominator_, fmpq_denref(value));
      fmpz_mul(&entry.integer, &entry.integer, fmpq_numref(value));
    } else {
      entry.residue = constant.value.integerModulo(field_.characteristic()).value();
    }
    entries_.push_back(entry);
  }
}

ProductOperator::~ProductOperator() {
  if (field_.isRationals())
    for (Entry &entry : entries_)
      fmpz_clear(&entry.integer);
  fmpz_clear(denominator_);
}

template <typename Factor, typename Place>
Matrix ProductOperator::accumulate(int64_t rows, int64_t columns, const Matrix &factors, Factor factor,
                                   Place place) const {
  Matrix result(field_, rows, columns);
  if (!field_.isRationals()) {
    nmod_t mod = factors.modular()->mod;
    for (const Entry &entry : entries_) {
      mp_limb_t scale = nmod_mat_entry(factors.modular(), 0, factor(entry));
      if (scale == 0)
        continue;
      auto [row, column] = place(entry);
      mp_limb_t &sum = nmod_mat_entry(result.modular(), row, column);
      sum = nmod_add(sum, nmod_mul(scale, entry.residue, mod), mod);
    }
    return result;
  }
  // Integers over one denominator.
  int64_t width = factors.columns();
  std::vector<fmpz> scales(width, fmpz(0)), sums(rows * columns, fmpz(0));
  fmpz_t common;
  fmpz_init_set_ui(common, 1);
  for (int64_t at = 0; at < width; ++at)
    fmpz_lcm(common, common, fmpq_mat_entry_den(factors.rational(), 0, at));
  for (int64_t at = 0; at < width; ++at) {
    fmpz_divexact(&scales[at], common, fmpq_mat_entry_den(factors.rational(), 0, at));
    fmpz_mul(&scales[at], &scales[at], fmpq_mat_entry_num(factors.rational(), 0, at));
  }
  for (const Entry &entry : entries_) {
    const fmpz &scale = scales[factor(entry)];
    if (fmpz_is_zero(&scale))
      continue;
    auto [row, column] = place(entry);
    fmpz_addmul(&sums[row * columns + column], &scale, &entry.integer);
  }
  fmpz_mul(common, common, denominator_);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      fmpz &sum = sums[row * columns + column];
      if (!fmpz_is_zero(&sum))
        fmpq_set_fmpz_frac(fmpq_mat_entry(result.rational(), row, column), &sum, common);
      fmpz_clear(&sum);
    }
  for (fmpz &scale : scales)
    fmpz_clear(&scale);
  fmpz_clear(common);
  return result;
}

Matrix ProductOperator::leftMatrix(const Matrix &x) const {
  return accumulate(
      dimension_, dimension_, x, [](const Entry &e) { return e.i; },
      [](const Entry &e) { return std::pair<int64_t, int64_t>(e.j, e.k); });
}

Matrix ProductOperator::rightMatrix(const Matrix &x) const {
  return accumulate(
      dimension_, dimension_, x, [](const Entry &e) { return e.j; },
      [](const Entry &e) { return std::pair<int64_t, int64_t>(e.i, e.k); });
}

Matrix ProductOperator::multiply(const Matrix &x, const Matrix &y) const { return y * leftMatrix(x); }

Matrix ProductOperator::unit(int64_t slot) const {
  Matrix result(field_, 1, dimension_);
  result.set(0, slot, Rational(1));
  return result;
}

Matrix ProductOperator::bilinear(const Matrix &form) const {
  return accumulate(
      dimension_, dimension_, form, [](const Entry &e) { return e.k; },
      [](const Entry &e) { return std::pair<int64_t, int64_t>(e.i, e.j); });
}

Matrix ProductOperator::traces() const {
  Matrix result(field_, 1, dimension_);
  if (!field_.isRationals()) {
    nmod_t mod = result.modular()->mod;
    for (const Entry &entry : entries_)
      if (entry.j == entry.k) {
        mp_limb_t &sum = nmod_mat_entry(result.modular(), 0, entry.i);
        sum = nmod_add(sum, entry.residue, mod);
      }
    return result;
  }
  std::vector<fmpz> sums(dimension_, fmpz(0));
  for (const Entry &entry : entries_)
    if (entry.j == entry.k)
      fmpz_add(&sums[entry.i], &sums[entry.i], &entry.integer);
  for (int64_t slot = 0; slot < dimension_; ++slot) {
    fmpq_set_fmpz_frac(fmpq_mat_entry(result.rational(), 0, slot), &sums[slot], denominator_);
    fmpz_clear(&sums[slot]);
  }
  return result;
}

std::optional<Table> ProductOperator::modulo(const Table &table, uint64_t p) {
  Field field = Field::prime(p);
  std::vector<Constant> constants;
  constants.reserve(table.constants().size());
  for (const Constant &constant : table.constants()) {
    std::optional<uint64_t> residue = constant.value.residue(p);
    if (!residue)
      return std::nullopt;
    if (*residue != 0)
      constants.push_back({constant.i, constant.j, constant.k, Rational(static_cast<int64_t>(*residue))});
  }
  return Table(table.name(), field, table.dimension(), std::move(constants));
}

} // namespace algebras
