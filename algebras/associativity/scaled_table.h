// A table indexed by first slot and by output slot, with coefficients in the cheapest exact arithmetic that
// serves.
#pragma once

#include "algebras/table/table.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace algebras {

// Associativity does not change when all constants are multiplied by one number, here the common denominator.
struct IntegerScale {
  Rational factor;
};
// The scale, when the scaled constants are so small that no sum of products of two of them leaves 128 bits.
std::optional<IntegerScale> smallIntegers(const Table &table);
// The common denominator of the constants.
IntegerScale integerScale(const Table &table);

struct WordArithmetic {
  using Number = __int128;
  IntegerScale scale;
  Number convert(const Rational &value) const { return (value * scale.factor).toInteger().value(); }
  Number multiply(Number left, Number right) const { return left * right; }
  Number add(Number left, Number right) const { return left + right; }
  Number negate(Number value) const { return -value; }
  bool isZero(Number value) const { return value == 0; }
};

struct PrimeArithmetic {
  using Number = uint64_t;
  uint64_t p;
  Number convert(const Rational &value) const { return value.integerModulo(p).value(); }
  Number multiply(Number left, Number right) const {
    return static_cast<Number>(static_cast<unsigned __int128>(left) * right % p);
  }
  Number add(Number left, Number right) const { return (left + right) % p; } // p < 2^63
  Number negate(Number value) const { return value == 0 ? 0 : p - value; }
  bool isZero(Number value) const { return value == 0; }
};

// Integers of any length: sums of fractions would cost a common divisor each.
struct LongArithmetic {
  using Number = Rational;
  IntegerScale scale;
  Number convert(const Rational &value) const { return value * scale.factor; }
  Number multiply(const Number &left, const Number &right) const { return left * right; }
  Number add(const Number &left, const Number &right) const { return left + right; }
  Number negate(const Number &value) const { return -value; }
  bool isZero(const Number &value) const { return value.isZero(); }
};

template <typename Arithmetic> class ScaledTable {
public:
  struct Entry {
    int64_t i, j, k;
    typename Arithmetic::Number value;
  };

  ScaledTable(const Table &table, Arithmetic arithmetic) : arithmetic_(std::move(arithmetic)) {
    by_first_.reserve(table.constants().size());
    for (const Constant &constant : table.constants())
      by_first_.push_back({constant.i, constant.j, constant.k, arithmetic_.convert(constant.value)});
    by_output_ = by_first_;
    std::sort(by_output_.begin(), by_output_.end(), [](const Entry &a, const Entry &b) {
      return std::tie(a.k, a.i, a.j) < std::tie(b.k, b.i, b.j);
    });
    index(by_first_, &Entry::i, first_starts_, first_indices_);
    index(by_output_, &Entry::k, output_starts_, output_indices_);
  }

  const Arithmetic &arithmetic() const { return arithmetic_; }
  // Slots that are the first index of some constant, ascending. The dimension may be far larger.
  const std::vector<int64_t> &firstIndices() const { return first_indices_; }
  std::span<const Entry> row(int64_t i) const { return find(by_first_, first_starts_, first_indices_, i); }
  std::span<const Entry> into(int64_t k) const {
    return find(by_output_, output_starts_, output_indices_, k);
  }

private:
  static void index(const std::vector<Entry> &entries, int64_t Entry::*key, std::vector<size_t> &starts,
                    std::vector<int64_t> &indices) {
    for (size_t at = 0; at < entries.size(); ++at)
      if (at == 0 || entries[at].*key != entries[at - 1].*key) {
        indices.push_back(entries[at].*key);
        starts.push_back(at);
      }
    starts.push_back(entries.size());
  }
  static std::span<const Entry> find(const std::vector<Entry> &entries, const std::vector<size_t> &starts,
                                     const std::vector<int64_t> &indices, int64_t key) {
    size_t place;
    if (key < static_cast<int64_t>(indices.size()) && indices[key] == key)
      place = static_cast<size_t>(key); // every slot occurs, as in unital algebras: no search
    else
      place = std::lower_bound(indices.begin(), indices.end(), key) - indices.begin();
    if (place == indices.size() || indices[place] != key)
      return {};
    return std::span(entries).subspan(starts[place], starts[place + 1] - starts[place]);
  }

  Arithmetic arithmetic_;
  std::vector<Entry> by_first_, by_output_;
  std::vector<size_t> first_starts_, output_starts_;
  std::vector<int64_t> first_indices_, output_indices_;
};

} // namespace algebras
