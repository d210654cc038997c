#include "algebras/associativity/sparse_pairs.h"

#include "algebras/associativity/scaled_table.h"
#include "algebras/associativity/slot_generators.h"
#include "algebras/linear/echelon.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
#include <flint/nmod_vec.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <span>
#include <thread>

namespace algebras {

namespace {

constexpr int slot_bits = 21;
constexpr size_t most_pairs = size_t{1} << 21; // of one first slot
constexpr size_t most_primes = 16;

// Residues modulo 2^64, of integers.
struct WordResidues {
  uint64_t multiply(uint64_t left, uint64_t right) const { return left * right; }
  uint64_t add(uint64_t left, uint64_t right) const { return left + right; }
  uint64_t subtract(uint64_t left, uint64_t right) const { return left - right; }
};

struct PrimeResidues {
  nmod_t mod; // below 2^63
  uint64_t multiply(uint64_t left, uint64_t right) const { return nmod_mul(left, right, mod); }
  uint64_t add(uint64_t left, uint64_t right) const { return nmod_add(left, right, mod); }
  uint64_t subtract(uint64_t left, uint64_t right) const { return nmod_sub(left, right, mod); }
};

// The constants by first and by output slot, in 16 bytes each; those by output slot only where the first slot
// is chosen.
class CompactTable {
public:
  struct Entry {
    uint32_t a, b; // by first slot: second and output; by output: first and second
    uint64_t residue;
  };

  CompactTable(const Table &table, std::vector<bool> chosen)
      : table_(table), chosen_(std::move(chosen)), by_first_(table.nonzeros()),
        first_starts_(table.dimension() + 1), output_starts_(table.dimension() + 1) {
    for (const Constant &constant : table.constants()) {
      ++first_starts_[constant.i + 1];
      output_starts_[constant.k + 1] += chosen_[constant.i];
    }
    for (int64_t slot = 0; slot < table.dimension(); ++slot) {
      first_starts_[slot + 1] += first_starts_[slot];
      output_starts_[slot + 1] += output_starts_[slot];
    }
    by_output_.resize(output_starts_.back());
  }

  template <typename Residue> void fill(Residue residue) {
    std::vector<uint32_t> next(output_starts_.begin(), output_starts_.end() - 1);
    size_t at = 0;
    for (const Constant &constant : table_.constants()) {
      auto i = static_cast<uint32_t>(constant.i), j = static_cast<uint32_t>(constant.j),
           k = static_cast<uint32_t>(constant.k);
      uint64_t value = residue(constant.value);
      by_first_[at++] = {j, k, value};
      if (chosen_[i])
        by_output_[next[k]++] = {i, j, value};
    }
  }

  int64_t dimension() const { return table_.dimension(); }
  bool isChosen(uint32_t slot) const { return chosen_[slot]; }
  std::span<const Entry> row(uint32_t i) const {
    return {by_first_.data() + first_starts_[i], by_first_.data() + first_starts_[i + 1]};
  }
  std::span<const Entry> into(uint32_t k) const {
    return {by_output_.data() + output_starts_[k], by_output_.data() + output_starts_[k + 1]};
  }
  size_t pairs(uint32_t i) const {
    size_t count = 0;
    for (const Entry &left : row(i))
      count += (chosen_[left.a] ? first_starts_[left.b + 1] - first_starts_[left.b] : 0) +
               output_starts_[left.a + 1] - output_starts_[left.a];
    return count;
  }

private:
  const Table &table_;
  std::vector<bool> chosen_;
  std::vector<Entry> by_first_, by_output_;
  std::vector<uint32_t> first_starts_, output_starts_;
};

// Sums by key.
class Sums {
public:
  void clear(size_t most) {
    bits_ = std::bit_width(2 * most + 1);
    places_.assign(size_t{1} << bits_, {empty, 0});
  }
  uint64_t &at(uint64_t key) {
    size_t mask = places_.size() - 1, place = (key * 0x9E3779B97F4A7C15ull) >> (64 - bits_);
    while (places_[place].key != key && places_[place].key != empty)
      place = (place + 1) & mask;
    places_[place].key = key;
    return places_[place].sum;
  }
  bool allZero() const {
    return std::all_of(places_.begin(), places_.end(), [](const Place &place) { return place.sum == 0; });
  }

private:
  static constexpr uint64_t empty = ~uint64_t{0}; // a key has 63 bits
  struct Place {
    uint64_t key, sum;
  };
  std::vector<Place> places_;
  int bits_ = 0;
};

template <typename Residues>
bool isZeroAt(const CompactTable &table, uint32_t i, Residues residues, Sums &sums) {
  auto key = [](uint64_t j, uint64_t k, uint64_t l) { return (j << (2 * slot_bits)) | (k << slot_bits) | l; };
  for (const CompactTable::Entry &left : table.row(i)) {
    if (table.isChosen(left.a))
      for (const CompactTable::Entry &right : table.row(left.b)) { // (b_i b_j) b_k
        uint64_t &sum = sums.at(key(left.a, right.a, right.b));
        sum = residues.add(sum, residues.multiply(left.residue, right.residue));
      }
    for (const CompactTable::Entry &inner :
         table.into(left.a)) { // b_i (b_j b_k), where b_j b_k has a part in left.a
      uint64_t &sum = sums.at(key(inner.a, inner.b, left.b));
      sum = residues.subtract(sum, residues.multiply(left.residue, inner.residue));
    }
  }
  return sums.allZero();
}

// The first slot below `limit` that fails; `limit` when there is none.
template <typename Residues>
int64_t firstFailing(const CompactTable &table, int64_t limit, Residues residues,
                     const std::vector<uint32_t> &pairs) {
  std::atomic<int64_t> next{0}, failing{limit};
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  auto work = [&] {
    try {
      constexpr int64_t chunk = 64;
      Sums sums;
      for (;;) {
        int64_t start = next.fetch_add(chunk);
        for (int64_t i = start; i < start + chunk; ++i) {
          if (i >= failing || failed)
            return;
          if (pairs[i] == 0 || pairs[i] > most_pairs)
            continue;
          sums.clear(pairs[i]);
          if (isZeroAt(table, static_cast<uint32_t>(i), residues, sums))
            continue;
          for (int64_t known = failing; i < known && !failing.compare_exchange_weak(known, i);)
            ;
        }
      }
    } catch (...) {
      if (!failed.exchange(true))
        error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  constexpr int64_t worth_a_thread = 4096;
  unsigned threads =
      table.dimension() < worth_a_thread ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  for (unsigned other = 1; other < threads; ++other)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
  if (error)
    std::rethrow_exception(error);
  return failing;
}

// How large a numerator of a difference can be, in bits.
struct DifferenceBits {
  size_t scaled;    // when all constants are multiplied by their common denominator
  size_t fractions; // as a sum of fractions
};

// `pairs`: the most terms of all differences with one first slot. A single difference D[i,j,k,l] has no more
// terms than b_i b_j and b_j b_k have parts.
DifferenceBits differenceBits(const Table &table, size_t pairs) {
  constexpr size_t too_long = 4096; // too many primes in any case
  const std::vector<Constant> &constants = table.constants();
  Rational scale(1);
  fmpz *common = fmpq_numref(FlintAccess::get(scale));
  size_t top = 1, bottom = 1, longest = 0, length = 0;
  for (size_t at = 0; at < constants.size(); ++at) {
    const fmpq *value = FlintAccess::get(constants[at].value);
    if (!fmpz_is_one(fmpq_denref(value)) && fmpz_bits(common) < too_long)
      fmpz_lcm(common, common, fmpq_denref(value));
    top = std::max<size_t>(top, fmpz_bits(fmpq_numref(value)));
    bottom = std::max<size_t>(bottom, fmpz_bits(fmpq_denref(value)));
    bool again = at > 0 && constants[at].i == constants[at - 1].i && constants[at].j == constants[at - 1].j;
    length = again ? length + 1 : 1;
    longest = std::max(longest, length);
  }
  size_t terms = 2 * longest;
  return {2 * (fmpz_bits(common) + top) + std::bit_width(pairs),
          2 * top + 2 * bottom * (terms - 1) + std::bit_width(terms)};
}

std::optional<uint64_t> residue(const Rational &value, nmod_t mod) {
  const fmpq *raw = FlintAccess::get(value);
  uint64_t top = fmpz_fdiv_ui(fmpq_numref(raw), mod.n);
  if (fmpz_is_one(fmpq_denref(raw)))
    return top;
  uint64_t bottom = fmpz_fdiv_ui(fmpq_denref(raw), mod.n);
  if (bottom == 0)
    return std::nullopt;
  return nmod_div(top, bottom, mod);
}

} // namespace

std::optional<SparsePairs> searchSparsePairs(const Table &table) {
  const int64_t n = table.dimension();
  if (n > int64_t{1} << slot_bits || table.nonzeros() > UINT32_MAX)
    return std::nullopt;
  constexpr int64_t small = 1024;
  if (n <= small && table.nonzeros() >= n * n * n / 16)
    return std::nullopt;
  CompactTable compact(table, slotGenerators(table));
  const Field &field = table.field();
  auto with_prime = [&](uint64_t p) {
    nmod_t mod;
    nmod_init(&mod, p);
    return mod;
  };
  nmod_t mod = with_prime(field.isRationals() ? 3 : field.characteristic());
  compact.fill([](const Rational &) { return 0; }); // the pairs are counted first
  std::vector<uint32_t> pairs(n);
  SparsePairs result;
  size_t most = 1;
  for (int64_t i = 0; i < n; ++i) {
    size_t own = compact.pairs(static_cast<uint32_t>(i));
    pairs[i] = static_cast<uint32_t>(std::min<size_t>(own, UINT32_MAX));
    most = std::max(most, std::min(own, most_pairs));
    if (own > most_pairs)
      result.not_examined.push_back(i);
  }
  int64_t first = n;
  if (!field.isRationals()) {
    compact.fill([&](const Rational &value) { return value.integerModulo(field.characteristic()).value(); });
    first = firstFailing(compact, first, PrimeResidues{mod}, pairs);
  } else {
    DifferenceBits bits = differenceBits(table, most);
    std::optional<IntegerScale> scale = smallIntegers(table);
    if (bits.scaled < 63 && scale) {
      bool is_integral = scale->factor.isOne();
      compact.fill([&](const Rational &value) {
        return static_cast<uint64_t>((is_integral ? value : value * scale->factor).toInteger().value());
      });
      first = firstFailing(compact, first, WordResidues{}, pairs);
    } else {
      constexpr size_t bits_of_a_prime = 61; // at least: they descend from 2^62
      const size_t needed = std::min(bits.scaled, bits.fractions);
      if (needed > bits_of_a_prime * most_primes)
        return std::nullopt;
      uint64_t p = 0;
      for (size_t proved = 0; proved <= needed;) {
        p = nextModulus(p);
        mod = with_prime(p);
        bool usable = true; // not where the prime divides a denominator
        compact.fill([&](const Rational &value) {
          std::optional<uint64_t> own = residue(value, mod);
          usable = usable && own;
          return own.value_or(0);
        });
        if (!usable)
          continue;
        // Slots before one that fails may still fail modulo the next prime.
        first = firstFailing(compact, first, PrimeResidues{mod}, pairs);
        proved += bits_of_a_prime;
      }
    }
  }
  if (first < n)
    result.first_failing = first;
  return result;
}

} // namespace algebras
