// The trilinear identity, one first index at a time.
#include "algebras/rank/bilinear_algorithm.h"

#include "algebras/error.h"
#include "algebras/rational_flint.h"

#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/ulong_extras.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace algebras {

namespace {

using Residue = uint64_t;
using Residues = std::vector<std::pair<int64_t, Residue>>; // index, residue

struct ResidueProduct {
  Residues beta, gamma;
};

Residue multiply(Residue a, Residue b, Residue p) {
  if (p < (Residue{1} << 32))
    return a * b % p;
  return static_cast<Residue>(static_cast<unsigned __int128>(a) * b % p);
}

Residue residue(const Rational &value, Residue p) {
  std::optional<uint64_t> own = value.residue(p);
  if (!own)
    throw std::logic_error("findMismatch: a prime divides a denominator");
  return *own;
}

// Most vectors hold a few small integers.
Residues residues(const SparseVector &vector, Residue p) {
  Residues result;
  result.reserve(vector.size());
  for (const auto &[index, value] : vector) {
    Residue word = value.isOne() ? 1 : residue(value, p);
    if (word != 0)
      result.emplace_back(index, word);
  }
  return result;
}

// Sums of one first index, by (j, k): a dense square where that is not much larger than the sums.
class Accumulator {
public:
  Accumulator(int64_t dimension, Residue p) : dimension_(dimension), p_(p) {}

  void begin(size_t additions) {
    dense_ = dimension_ <= 4096 && static_cast<size_t>(dimension_ * dimension_) <= 4 * additions;
    if (dense_)
      square_.assign(dimension_ * dimension_, 0);
    entries_.clear();
    if (!dense_)
      entries_.reserve(additions);
  }

  void add(int64_t j, int64_t k, Residue value) {
    if (dense_) {
      Residue &sum = square_[j * dimension_ + k];
      sum += value;
      if (sum >= p_)
        sum -= p_;
    } else {
      entries_.emplace_back(std::pair(j, k), value);
    }
  }

  // Some (j, k) with a nonzero sum.
  std::optional<std::pair<int64_t, int64_t>> nonzero() {
    if (dense_) {
      auto place = std::find_if(square_.begin(), square_.end(), [](Residue sum) { return sum != 0; });
      if (place == square_.end())
        return std::nullopt;
      int64_t offset = place - square_.begin();
      return std::pair(offset / dimension_, offset % dimension_);
    }
    std::sort(entries_.begin(), entries_.end());
    for (size_t first = 0, next; first < entries_.size(); first = next) {
      Residue sum = 0;
      for (next = first; next < entries_.size() && entries_[next].first == entries_[first].first; ++next) {
        sum += entries_[next].second;
        if (sum >= p_)
          sum -= p_;
      }
      if (sum != 0)
        return entries_[first].first;
    }
    return std::nullopt;
  }

private:
  int64_t dimension_;
  Residue p_;
  bool dense_ = false;
  std::vector<Residue> square_;
  std::vector<std::pair<std::pair<int64_t, int64_t>, Residue>> entries_;
};

// p < 2^63, so that two residues can be added.
std::optional<Mismatch> mismatchModulo(const BilinearAlgorithm &algorithm, const Table &table, Residue p) {
  int64_t dimension = table.dimension();
  std::vector<ResidueProduct> products;
  std::vector<std::vector<std::pair<size_t, Residue>>> by_left(dimension); // i -> (r, alpha_r(i))
  products.reserve(algorithm.size());
  for (size_t r = 0; r < algorithm.size(); ++r) {
    products.push_back({residues(algorithm[r].beta, p), residues(algorithm[r].gamma, p)});
    for (const auto &[i, value] : residues(algorithm[r].alpha, p))
      by_left[i].emplace_back(r, value);
  }
  Accumulator sums(dimension, p);
  for (int64_t i = 0; i < dimension; ++i) {
    std::span<const Constant> own = table.row(i);
    size_t additions = own.size();
    for (const auto &[r, value] : by_left[i])
      additions += products[r].beta.size() * products[r].gamma.size();
    sums.begin(additions);
    for (const Constant &constant : own) {
      Residue value = residue(constant.value, p);
      if (value != 0)
        sums.add(constant.j, constant.k, p - value);
    }
    for (const auto &[r, left] : by_left[i])
      for (const auto &[j, right] : products[r].beta) {
        Residue both = multiply(left, right, p);
        for (const auto &[k, output] : products[r].gamma)
          sums.add(j, k, multiply(both, output, p));
      }
    if (auto place = sums.nonzero())
      return Mismatch{i, place->first, place->second};
  }
  return std::nullopt;
}

// Bits of the common denominator of some numbers and of the largest numerator.
class Height {
public:
  Height() {
    fmpz_init(denominator_);
    fmpz_one(denominator_);
  }
  ~Height() { fmpz_clear(denominator_); }
  Height(const Height &) = delete;
  Height &operator=(const Height &) = delete;

  void include(const Rational &value) {
    const fmpq *raw = FlintAccess::get(value);
    numerator_bits_ = std::max<size_t>(numerator_bits_, fmpz_bits(fmpq_numref(raw)));
    if (!fmpz_is_one(fmpq_denref(raw)))
      fmpz_lcm(denominator_, denominator_, fmpq_denref(raw));
  }
  void include(const SparseVector &vector) {
    for (const auto &[index, value] : vector)
      include(value);
  }
  size_t denominatorBits() const { return fmpz_bits(denominator_); }
  size_t numeratorBits() const { return numerator_bits_; }
  bool divides(Residue p) const { return fmpz_fdiv_ui(denominator_, p) == 0; }

private:
  fmpz_t denominator_;
  size_t numerator_bits_ = 0;
};

// With D the product of the four common denominators, D times the difference at (i, j, k) is an integer of at
// most `bits` bits: each value is below its numerator, and D below the product of its factors.
std::optional<Mismatch> mismatchOverRationals(const BilinearAlgorithm &algorithm, const Table &table) {
  Height left, right, output, constants;
  for (const BilinearProduct &product : algorithm) {
    left.include(product.alpha);
    right.include(product.beta);
    output.include(product.gamma);
  }
  for (const Constant &constant : table.constants())
    constants.include(constant.value);
  size_t bits = left.numeratorBits() + right.numeratorBits() + output.numeratorBits() + 1;
  for (size_t count = algorithm.size(); count > 0; count /= 2)
    ++bits;
  bits = std::max(bits, constants.numeratorBits()) + 1;
  for (const Height *height : {&left, &right, &output, &constants})
    bits += height->denominatorBits();

  Residue p = Residue{1} << 31;
  for (size_t proved = 0; proved <= bits;) {
    do
      p = n_nextprime(p, 1);
    while (left.divides(p) || right.divides(p) || output.divides(p) || constants.divides(p));
    if (std::optional<Mismatch> mismatch = mismatchModulo(algorithm, table, p))
      return mismatch;
    proved += 31; // p > 2^31
  }
  return std::nullopt;
}

void requireIndices(const SparseVector &vector, int64_t dimension, size_t r) {
  for (const auto &[index, value] : vector)
    if (index < 0 || index >= dimension)
      throw InputError(
          fmt::format("product {} of the algorithm has index {}; the algebra's count from 0 to {}", r, index,
                      dimension - 1));
}

} // namespace

std::optional<Mismatch> findMismatch(const BilinearAlgorithm &algorithm, const Table &table) {
  for (size_t r = 0; r < algorithm.size(); ++r)
    for (const SparseVector *vector : {&algorithm[r].alpha, &algorithm[r].beta, &algorithm[r].gamma})
      requireIndices(*vector, table.dimension(), r);
  if (table.field().isRationals())
    return mismatchOverRationals(algorithm, table);
  return mismatchModulo(algorithm, table, table.field().characteristic());
}

} // namespace algebras
