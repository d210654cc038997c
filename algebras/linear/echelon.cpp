#include "algebras/linear/echelon.h"

#include "algebras/linear/integer_matrix.h"
#include "algebras/rational_flint.h"

#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/ulong_extras.h>

#include <stdexcept>

namespace algebras {

namespace {

std::vector<int64_t> pivotsOf(const nmod_mat_t echelon, int64_t rank) {
  std::vector<int64_t> pivots;
  for (int64_t row = 0, column = 0; row < rank; ++row, ++column) {
    while (nmod_mat_entry(echelon, row, column) == 0)
      ++column;
    pivots.push_back(column);
  }
  return pivots;
}

Echelon echelonModulo(Matrix matrix) {
  int64_t rank = nmod_mat_rref(matrix.modular());
  std::vector<int64_t> pivots = pivotsOf(matrix.modular(), rank);
  return {matrix.rowRange(0, rank), std::move(pivots)};
}

std::vector<int64_t> freeColumns(const Echelon &echelon) {
  std::vector<int64_t> result;
  size_t next = 0;
  for (int64_t column = 0; column < echelon.rows.columns(); ++column)
    if (next < echelon.pivots.size() && echelon.pivots[next] == column)
      ++next;
    else
      result.push_back(column);
  return result;
}

// Residues of the free columns of echelon forms that have the same pivots, modulo more and more primes.
class Lifting {
public:
  Lifting(const IntegerMatrix &matrix, int64_t columns) : matrix_(matrix), columns_(columns) {
    fmpz_init_set_ui(modulus_, 1);
  }
  Lifting(const Lifting &) = delete;
  Lifting &operator=(const Lifting &) = delete;
  ~Lifting() {
    fmpz_clear(modulus_);
    for (fmpz &residue : residues_)
      fmpz_clear(&residue);
  }

  void addPrime() {
    prime_ = nextModulus(prime_);
    Field field = Field::prime(prime_);
    Matrix image(field, matrix_.rows(), columns_);
    fmpz_mat_get_nmod_mat(image.modular(), matrix_.get());
    Echelon echelon = echelonModulo(std::move(image));
    // The true pivots are the first ones that any prime shows: more of them, or earlier.
    if (fmpz_is_one(modulus_) || echelon.rank() > rank() ||
        (echelon.rank() == rank() && echelon.pivots < pivots_))
      restart(echelon);
    else if (echelon.pivots != pivots_)
      return;
    size_t at = 0;
    mp_limb_t inverse = n_invmod(fmpz_fdiv_ui(modulus_, prime_), prime_);
    nmod_t mod;
    nmod_init(&mod, prime_);
    fmpz_t step;
    fmpz_init(step);
    for (int64_t row = 0; row < rank(); ++row)
      for (int64_t column : free_) {
        fmpz &residue = residues_[at++];
        mp_limb_t old = fmpz_fdiv_ui(&residue, prime_);
        mp_limb_t difference = nmod_sub(nmod_mat_entry(echelon.rows.modular(), row, column), old, mod);
        fmpz_mul_ui(step, modulus_, nmod_mul(difference, inverse, mod));
        fmpz_add(&residue, &residue, step);
      }
    fmpz_clear(step);
    fmpz_mul_ui(modulus_, modulus_, prime_);
  }

  // The echelon form with these residues, if there is one of small enough numbers, checked.
  std::optional<Echelon> reconstruct() const {
    Echelon result{Matrix(Field(), rank(), columns_), pivots_};
    size_t at = 0;
    for (int64_t row = 0; row < rank(); ++row) {
      fmpq_one(fmpq_mat_entry(result.rows.rational(), row, pivots_[row]));
      for (int64_t column : free_)
        if (!fmpq_reconstruct_fmpz(fmpq_mat_entry(result.rows.rational(), row, column), &residues_[at++],
                                   modulus_))
          return std::nullopt;
    }
    return isRight(result) ? std::optional(std::move(result)) : std::nullopt;
  }

private:
  int64_t rank() const { return static_cast<int64_t>(pivots_.size()); }

  void restart(const Echelon &echelon) {
    pivots_ = echelon.pivots;
    free_ = freeColumns(echelon);
    for (fmpz &residue : residues_)
      fmpz_clear(&residue);
    residues_.assign(pivots_.size() * free_.size(), fmpz(0));
    fmpz_one(modulus_);
  }

  // W = W[pivots] R, on the free columns; on the pivots it holds by form.
  bool isRight(const Echelon &candidate) const {
    if (free_.empty())
      return true;
    int64_t rows = matrix_.rows(), width = static_cast<int64_t>(free_.size());
    // R with a common denominator for each free column.
    IntegerMatrix left(rows, rank()), right(rank(), width), product(rows, width);
    std::vector<Rational> denominators(width, Rational(1));
    for (int64_t column = 0; column < width; ++column) {
      fmpz *common = fmpq_numref(FlintAccess::get(denominators[column]));
      for (int64_t row = 0; row < rank(); ++row)
        fmpz_lcm(common, common, fmpq_mat_entry_den(candidate.rows.rational(), row, free_[column]));
      for (int64_t row = 0; row < rank(); ++row) {
        fmpz *entry = right.at(row, column);
        fmpz_divexact(entry, common, fmpq_mat_entry_den(candidate.rows.rational(), row, free_[column]));
        fmpz_mul(entry, entry, fmpq_mat_entry_num(candidate.rows.rational(), row, free_[column]));
      }
    }
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t pivot = 0; pivot < rank(); ++pivot)
        fmpz_set(left.at(row, pivot), matrix_.at(row, pivots_[pivot]));
    fmpz_mat_mul(product.get(), left.get(), right.get());
    fmpz_t expected;
    fmpz_init(expected);
    bool right_everywhere = true;
    for (int64_t row = 0; row < rows && right_everywhere; ++row)
      for (int64_t column = 0; column < width && right_everywhere; ++column) {
        fmpz_mul(expected, matrix_.at(row, free_[column]),
                 fmpq_numref(FlintAccess::get(denominators[column])));
        right_everywhere = fmpz_equal(expected, product.at(row, column));
      }
    fmpz_clear(expected);
    return right_everywhere;
  }

  const IntegerMatrix &matrix_;
  int64_t columns_;
  uint64_t prime_ = 0;
  std::vector<int64_t> pivots_, free_;
  std::vector<fmpz> residues_; // row-major, free columns only
  fmpz_t modulus_;
};

Echelon echelonOverRationals(const Matrix &matrix) {
  IntegerMatrix integers(matrix.rows(), matrix.columns());
  fmpq_mat_get_fmpz_mat_rowwise(integers.get(), nullptr, matrix.rational());
  Lifting lifting(integers, matrix.columns());
  for (int primes = 1, target = 1;; ++primes) {
    lifting.addPrime();
    if (primes < target)
      continue;
    if (std::optional<Echelon> result = lifting.reconstruct())
      return std::move(*result);
    target += 1 + target / 2;
  }
}

} // namespace

uint64_t nextModulus(uint64_t previous) {
  uint64_t candidate = previous == 0 ? uint64_t{1} << 62 : previous;
  do
    --candidate;
  while (!n_is_prime(candidate));
  return candidate;
}

Echelon reducedEchelon(const Matrix &matrix) {
  if (matrix.rows() == 0 || matrix.columns() == 0)
    return {Matrix(matrix.field(), 0, matrix.columns()), {}};
  return matrix.field().isRationals() ? echelonOverRationals(matrix) : echelonModulo(matrix);
}

Matrix kernel(const Matrix &matrix) {
  Echelon echelon = reducedEchelon(matrix);
  std::vector<int64_t> open = freeColumns(echelon);
  // -R^T on the pivots, ones on the free columns.
  Matrix result = echelon.rows.selectColumns(open)
                      .transposed()
                      .scaled(Rational(-1))
                      .spreadColumns(echelon.pivots, matrix.columns());
  for (size_t row = 0; row < open.size(); ++row)
    result.set(static_cast<int64_t>(row), open[row], Rational(1));
  return result;
}

std::optional<Matrix> solve(const Matrix &matrix, const Matrix &right) {
  int64_t unknowns = matrix.columns();
  Echelon echelon = reducedEchelon(matrix.besides(right));
  if (!echelon.pivots.empty() && echelon.pivots.back() >= unknowns)
    return std::nullopt;
  Matrix result(matrix.field(), unknowns, right.columns());
  for (size_t row = 0; row < echelon.pivots.size(); ++row)
    for (int64_t column = 0; column < right.columns(); ++column)
      result.set(echelon.pivots[row], column, echelon.rows.get(static_cast<int64_t>(row), unknowns + column));
  return result;
}

std::optional<Matrix> reduceModulo(const Matrix &matrix, uint64_t p) {
  Matrix result(Field::prime(p), matrix.rows(), matrix.columns());
  for (int64_t row = 0; row < matrix.rows(); ++row)
    for (int64_t column = 0; column < matrix.columns(); ++column) {
      mp_limb_t bottom = fmpz_fdiv_ui(fmpq_mat_entry_den(matrix.rational(), row, column), p);
      if (bottom == 0)
        return std::nullopt;
      mp_limb_t top = fmpz_fdiv_ui(fmpq_mat_entry_num(matrix.rational(), row, column), p);
      nmod_mat_entry(result.modular(), row, column) =
          bottom == 1 ? top : n_mulmod2(top, n_invmod(bottom, p), p);
    }
  return result;
}

} // namespace algebras
