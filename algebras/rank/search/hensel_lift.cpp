#include "algebras/rank/search/hensel_lift.h"

#include "algebras/rational_flint.h"

#include <flint/fmpq.h>
#include <flint/fmpz.h>

#include <array>

namespace algebras::rank {

namespace {

using Word = uint64_t;

constexpr int bits = 48;                      // of the lifted coefficients
constexpr size_t most_bits = size_t{1} << 30; // of the equations

// The inverse of an odd word modulo 2^64, by Newton's iteration.
Word inverseOdd(Word value) {
  Word result = value;
  for (int step = 0; step < 6; ++step)
    result *= 2 - value * result;
  return result;
}

Word residue(const Rational &value) {
  fmpz_t modulus, word;
  fmpz_init(modulus);
  fmpz_init(word);
  fmpz_one(modulus);
  fmpz_mul_2exp(modulus, modulus, 64);
  fmpz_mod(word, fmpq_numref(FlintAccess::get(value)), modulus);
  Word numerator = fmpz_get_ui(word);
  fmpz_mod(word, fmpq_denref(FlintAccess::get(value)), modulus);
  Word denominator = fmpz_get_ui(word);
  fmpz_clear(modulus);
  fmpz_clear(word);
  return numerator * inverseOdd(denominator);
}

// The rational with small numerator and odd denominator that a residue modulo 2^bits stands for.
std::optional<Rational> reconstruct(Word value) {
  fmpz_t modulus, word;
  fmpz_init(modulus);
  fmpz_init(word);
  fmpz_one(modulus);
  fmpz_mul_2exp(modulus, modulus, bits);
  fmpz_set_ui(word, value & ((Word{1} << bits) - 1));
  Rational result;
  bool found = fmpq_reconstruct_fmpz(FlintAccess::get(result), word, modulus);
  fmpz_clear(modulus);
  fmpz_clear(word);
  if (!found)
    return std::nullopt;
  return result;
}

// Linear equations over GF(2), a row of bits each, the right side last.
class BinarySystem {
public:
  BinarySystem(size_t equations, size_t unknowns)
      : unknowns_(unknowns), words_(unknowns / 64 + 1), rows_(equations * words_) {}

  void flip(size_t equation, size_t place) {
    rows_[equation * words_ + place / 64] ^= Word{1} << (place % 64);
  }
  void setRight(size_t equation) { flip(equation, unknowns_); }

  // Some solution, the free unknowns zero.
  std::optional<std::vector<bool>> solve() {
    size_t equations = rows_.size() / words_, rank = 0;
    std::vector<size_t> pivots;
    for (size_t place = 0; place < unknowns_ && rank < equations; ++place) {
      size_t word = place / 64;
      Word mask = Word{1} << (place % 64);
      size_t pivot = rank;
      while (pivot < equations && !(rows_[pivot * words_ + word] & mask))
        ++pivot;
      if (pivot == equations)
        continue;
      if (pivot != rank)
        std::swap_ranges(rows_.begin() + pivot * words_, rows_.begin() + (pivot + 1) * words_,
                         rows_.begin() + rank * words_);
      for (size_t row = 0; row < equations; ++row)
        if (row != rank && (rows_[row * words_ + word] & mask))
          for (size_t w = word; w < words_; ++w)
            rows_[row * words_ + w] ^= rows_[rank * words_ + w];
      pivots.push_back(place);
      ++rank;
    }
    auto right = [&](size_t row) { return rows_[row * words_ + unknowns_ / 64] >> (unknowns_ % 64) & 1; };
    for (size_t row = rank; row < equations; ++row)
      if (right(row))
        return std::nullopt;
    std::vector<bool> result(unknowns_);
    for (size_t row = 0; row < rank; ++row)
      result[pivots[row]] = right(row);
    return result;
  }

private:
  size_t unknowns_, words_;
  std::vector<Word> rows_;
};

} // namespace

std::optional<BilinearAlgorithm> liftFromTwo(const BilinearAlgorithm &algorithm, const Table &table) {
  size_t n = table.dimension(), r = algorithm.size(), unknowns = 3 * n * r;
  if (n > 64 || n * n * n * (unknowns + 64) > most_bits)
    return std::nullopt;
  std::vector<Word> constants(n * n * n);
  for (const Constant &constant : table.constants())
    constants[(constant.i * n + constant.j) * n + constant.k] = residue(constant.value);

  // Entry (mode, s, i) at (mode * r + s) * n + i.
  std::vector<Word> values(unknowns);
  for (size_t s = 0; s < r; ++s) {
    std::array<const SparseVector *, 3> parts{&algorithm[s].alpha, &algorithm[s].beta, &algorithm[s].gamma};
    for (size_t mode = 0; mode < 3; ++mode)
      for (const auto &[index, value] : *parts[mode])
        values[(mode * r + s) * n + index] = value.isZero() ? 0 : 1;
  }
  auto entry = [&](size_t mode, size_t s, size_t i) { return (mode * r + s) * n + i; };
  for (int bit = 1; bit < bits; ++bit) {
    BinarySystem system(n * n * n, unknowns);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t k = 0; k < n; ++k) {
          size_t equation = (i * n + j) * n + k;
          Word difference = constants[equation];
          for (size_t s = 0; s < r; ++s) {
            Word a = values[entry(0, s, i)], b = values[entry(1, s, j)], c = values[entry(2, s, k)];
            difference -= a * b * c;
            if (b & c & 1)
              system.flip(equation, entry(0, s, i));
            if (a & c & 1)
              system.flip(equation, entry(1, s, j));
            if (a & b & 1)
              system.flip(equation, entry(2, s, k));
          }
          if (difference & ((Word{1} << bit) - 1))
            return std::nullopt; // not an algorithm modulo 2
          if (difference >> bit & 1)
            system.setRight(equation);
        }
    std::optional<std::vector<bool>> step = system.solve();
    if (!step)
      return std::nullopt;
    for (size_t place = 0; place < unknowns; ++place)
      if ((*step)[place])
        values[place] += Word{1} << bit;
  }

  BilinearAlgorithm result(r);
  for (size_t s = 0; s < r; ++s) {
    std::array<SparseVector *, 3> parts{&result[s].alpha, &result[s].beta, &result[s].gamma};
    for (size_t mode = 0; mode < 3; ++mode)
      for (size_t i = 0; i < n; ++i) {
        std::optional<Rational> value = reconstruct(values[entry(mode, s, i)]);
        if (!value)
          return std::nullopt;
        if (!value->isZero())
          parts[mode]->emplace_back(static_cast<int64_t>(i), *value);
      }
  }
  return result;
}

} // namespace algebras::rank
