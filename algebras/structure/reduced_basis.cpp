#include "algebras/structure/reduced_basis.h"

#include "algebras/linear/subspace.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz_lll.h>
#include <flint/fmpz_mat.h>

#include <stdexcept>

namespace algebras {

namespace {

class Integers {
public:
  Integers(std::int64_t rows, std::int64_t columns) { fmpz_mat_init(value_, rows, columns); }
  Integers(const Integers &) = delete;
  Integers &operator=(const Integers &) = delete;
  ~Integers() { fmpz_mat_clear(value_); }

  fmpz_mat_struct *get() { return value_; }
  const fmpz_mat_struct *get() const { return value_; }
  fmpz *at(std::int64_t row, std::int64_t column) { return fmpz_mat_entry(value_, row, column); }
  const fmpz *at(std::int64_t row, std::int64_t column) const { return fmpz_mat_entry(value_, row, column); }
  void swap(Integers &other) { fmpz_mat_swap(value_, other.value_); }

private:
  fmpz_mat_t value_;
};

Matrix rational(const Integers &integers, const Rational &scale) {
  Matrix result(Field(), fmpz_mat_nrows(integers.get()), fmpz_mat_ncols(integers.get()));
  fmpq_mat_set_fmpz_mat(result.rational(), integers.get());
  return result.scaled(scale);
}

// A Z-basis of the lattice that the rows span.
Matrix latticeBasis(const Matrix &rows) {
  Subspace space(rows);
  if (space.dimension() == rows.rows())
    return rows;
  Matrix coordinates = space.coordinates(rows);
  Integers hermite(rows.rows(), space.dimension());
  Rational denominator(1);
  fmpq_mat_get_fmpz_mat_matwise(hermite.get(), fmpq_numref(FlintAccess::get(denominator)),
                                coordinates.rational());
  fmpz_mat_hnf(hermite.get(), hermite.get());
  return rational(hermite, Rational(1) / denominator).rowRange(0, space.dimension()) * space.basis();
}

// The constants c[i,j,k] of a basis times a common denominator, as a matrix with rows i and columns (j, k).
class Tensor {
public:
  Tensor(const ProductOperator &product, const Matrix &basis)
      : dimension_(basis.rows()), constants_(dimension_, dimension_ * dimension_) {
    Subspace space(basis);
    std::optional<Matrix> inverse =
        solve(space.coordinates(basis), Matrix::identity(product.field(), dimension_));
    if (!inverse)
      throw std::logic_error("reducedBasis: the basis is dependent");
    Matrix all(product.field(), 0, dimension_ * dimension_);
    for (std::int64_t i = 0; i < dimension_; ++i)
      all = all.above((space.coordinates(basis * product.leftMatrix(basis.row(i))) * *inverse).flattened());
    fmpq_mat_get_fmpz_mat_matwise(constants_.get(), fmpq_numref(FlintAccess::get(denominator_)),
                                  all.rational());
  }

  // sum over j, k of c[x,j,k] c[y,j,k] + c[j,x,k] c[j,y,k].
  void gram(Integers &result) {
    Integers part(dimension_, dimension_);
    squares(result);
    turn();
    squares(part);
    turn();
    turn();
    fmpz_mat_add(result.get(), result.get(), part.get());
  }

  // To the basis change * (the old one); the change is unimodular.
  void changeBasis(const Integers &change) {
    Integers inverse(dimension_, dimension_), moved(dimension_, dimension_ * dimension_);
    Rational determinant;
    if (!fmpz_mat_inv(inverse.get(), fmpq_numref(FlintAccess::get(determinant)), change.get()) ||
        !fmpz_is_pm1(fmpq_numref(FlintAccess::get(determinant))))
      throw std::logic_error("reducedBasis: a change of basis that is not unimodular");
    fmpz_mat_scalar_mul_fmpz(inverse.get(), inverse.get(), fmpq_numref(FlintAccess::get(determinant)));
    fmpz_mat_transpose(inverse.get(), inverse.get());
    for (const Integers *factor : {&change, &change, static_cast<const Integers *>(&inverse)}) {
      fmpz_mat_mul(moved.get(), factor->get(), constants_.get());
      constants_.swap(moved);
      turn();
    }
  }

  Table table() const {
    std::vector<Constant> constants;
    for (std::int64_t i = 0; i < dimension_; ++i)
      for (std::int64_t jk = 0; jk < dimension_ * dimension_; ++jk)
        if (const fmpz *entry = constants_.at(i, jk); !fmpz_is_zero(entry)) {
          Rational value;
          fmpz_set(fmpq_numref(FlintAccess::get(value)), entry);
          constants.push_back({i, jk / dimension_, jk % dimension_, value / denominator_});
        }
    return Table("lattice", Field(), dimension_, std::move(constants));
  }

private:
  // From rows i to rows j, from rows j to rows k, from rows k to rows i.
  void turn() {
    Integers turned(dimension_, dimension_ * dimension_);
    for (std::int64_t i = 0; i < dimension_; ++i)
      for (std::int64_t j = 0; j < dimension_; ++j)
        for (std::int64_t k = 0; k < dimension_; ++k)
          fmpz_swap(turned.at(j, k * dimension_ + i), constants_.at(i, j * dimension_ + k));
    constants_.swap(turned);
  }

  void squares(Integers &result) const {
    Integers transposed(dimension_ * dimension_, dimension_);
    fmpz_mat_transpose(transposed.get(), constants_.get());
    fmpz_mat_mul(result.get(), constants_.get(), transposed.get());
  }

  std::int64_t dimension_;
  Integers constants_;
  Rational denominator_{1};
};

} // namespace

ReducedBasis reducedBasis(const ProductOperator &product, const Matrix &rows) {
  if (!product.field().isRationals())
    throw std::logic_error("reducedBasis: only lattices over the integers are reduced");
  constexpr int kMostRounds = 32;
  Matrix basis = latticeBasis(rows);
  std::int64_t n = basis.rows();
  Tensor tensor(product, basis);
  Integers gram(n, n), change(n, n);
  fmpz_lll_t parameters;
  fmpz_lll_context_init(parameters, 0.99, 0.51, GRAM, APPROX);
  Rational last;
  for (int round = 0; round < kMostRounds; ++round) {
    tensor.gram(gram);
    Rational size;
    fmpz_mat_trace(fmpq_numref(FlintAccess::get(size)), gram.get());
    if (round > 0 && size * Rational(16) > last * Rational(15)) // hardly smaller
      break;
    last = size;
    fmpz_mat_one(change.get());
    fmpz_lll(gram.get(), change.get(), parameters);
    if (fmpz_mat_is_one(change.get()))
      break;
    tensor.changeBasis(change);
    basis = rational(change, Rational(1)) * basis;
  }
  return {std::move(basis), tensor.table()};
}

} // namespace algebras
