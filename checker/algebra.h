// Exact products in an algebra given by structure constants, and linear algebra on what is mostly zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <gmpxx.h>
#include <map>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace checker {

inline std::string claim; // the one being checked: named when the certificate is refused

struct Refusal : std::runtime_error {
  using runtime_error::runtime_error;
};
inline void require(bool holds, const char *otherwise) {
  if (!holds) throw Refusal(otherwise);
}

using Integer = mpz_class;
using Index = std::int32_t; // of a slot, that is, of a basis element b_i

// The sum of numerator * b_slot, over a common denominator: ascending slots, no zeros. Over GF(p) the
// numerators are 1, ..., p-1 and the denominator is 1.
struct Element {
  std::vector<std::pair<Index, Integer>> terms;
  Integer denominator = 1;
  bool operator==(const Element &) const = default;
};
using Elements = std::vector<Element>;

struct Constant { // b_i b_j has the coefficient values[value] / scale at b_k
  Index i, j, k;
  std::uint32_t value;
  auto key() const { return std::tuple(i, j, k); }
};

struct Algebra {
  std::uint64_t characteristic = 0; // of the ground field: a prime, or 0 for Q
  Index dimension = 0;
  Integer scale = 1;
  std::vector<Integer> values;
  std::vector<Constant> constants; // ascending
  std::vector<std::size_t> row_start, column_start, by_column;
  mutable std::vector<Integer> sums; // of terms, by slot; those that may not be zero are in `touched`
  mutable std::vector<Index> touched;
  mutable Integer coefficient;

  void index() { // once the constants are there
    std::ranges::sort(constants, {}, &Constant::key);
    by_column.resize(constants.size());
    std::iota(by_column.begin(), by_column.end(), 0);
    std::ranges::sort(by_column, {}, [&](std::size_t at) { return std::pair(constants[at].j, at); });
    row_start.assign(dimension + 1, 0);
    column_start = row_start;
    for (const Constant &constant : constants) {
      ++row_start[constant.i + 1];
      ++column_start[constant.j + 1];
    }
    std::partial_sum(row_start.begin(), row_start.end(), row_start.begin());
    std::partial_sum(column_start.begin(), column_start.end(), column_start.begin());
    sums.resize(dimension);
  }
  std::span<const Constant> row(Index i) const {
    return std::span(constants).subspan(row_start[i], row_start[i + 1] - row_start[i]);
  }
  std::span<const Constant> constantsOf(Index i, Index j) const {
    return std::ranges::equal_range(row(i), j, {}, &Constant::j);
  }
  std::vector<Index> leftFactors(const Element &right) const { // the i with constants for b_i b_j, some j
    std::vector<Index> result;
    for (const auto &[j, coefficient] : right.terms)
      for (std::size_t at = column_start[j]; at < column_start[j + 1]; ++at)
        if (Index i = constants[by_column[at]].i; result.empty() || result.back() != i) result.push_back(i);
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  void add(Index slot, const Integer &a, const Integer &b) const {
    if (sums[slot] == 0) touched.push_back(slot);
    sums[slot] += a * b;
  }
  void add(const Element &element, const Integer &factor) const { // numerators alone
    for (const auto &[slot, numerator] : element.terms) add(slot, numerator, factor);
  }
  void addProduct(const Element &left, const Element &right, int sign) const {
    for (const auto &[i, a] : left.terms)
      for (const auto &[j, b] : right.terms)
        if (auto found = constantsOf(i, j); !found.empty()) {
          coefficient = a * b * sign;
          for (const Constant &constant : found) add(constant.k, coefficient, values[constant.value]);
        }
  }
  Element take(const Integer &denominator = 1) const { // the sums; and starts again
    Element result{{}, denominator};
    std::ranges::sort(touched);
    for (Index slot : touched) {
      if (characteristic != 0) sums[slot] = mpz_fdiv_ui(sums[slot].get_mpz_t(), characteristic);
      if (sums[slot] != 0) result.terms.emplace_back(slot, sums[slot]);
      sums[slot] = 0; // which keeps its memory
    }
    touched.clear();
    return result;
  }
  Element multiply(const Element &left, const Element &right) const {
    addProduct(left, right, 1);
    return take(left.denominator * right.denominator * scale);
  }
  // visit(u, v, left[u] right[v]) wherever there are constants for it; the other products are zero.
  template <typename Visit> void products(const Elements &left, const Elements &right, const Visit &visit) const {
    std::vector<std::vector<std::pair<std::size_t, const Integer *>>> occurrences(dimension); // of b_i in `left`
    for (std::size_t u = 0; u < left.size(); ++u)
      for (const auto &[i, coefficient] : left[u].terms) occurrences[i].emplace_back(u, &coefficient);
    for (std::size_t v = 0; v < right.size(); ++v) {
      std::map<std::size_t, std::vector<std::pair<const Integer *, std::size_t>>> parts; // of left[u] right[v]
      Elements images;
      for (Index i : leftFactors(right[v]))
        if (!occurrences[i].empty()) {
          for (auto [u, coefficient] : occurrences[i]) parts[u].emplace_back(coefficient, images.size());
          images.push_back(multiply({{{i, 1}}}, right[v]));
        }
      for (const auto &[u, sum] : parts) {
        for (auto [coefficient, image] : sum) add(images[image], *coefficient);
        visit(u, v, take(left[u].denominator * right[v].denominator * scale));
      }
    }
  }
};

// A subspace with a basis in reduced echelon form: 1 at its first slot, its lead, and 0 at the leads of the
// others.
class Space {
public:
  Space(const Algebra &algebra, const Elements &rows) : algebra_(algebra), rows_(rows), row_of_(algebra.dimension, -1) {
    for (const Element &row : rows) lcm_ = lcm(lcm_, row.denominator);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      require(!rows[r].terms.empty() && rows[r].terms[0].second == rows[r].denominator, "a lead is not 1");
      Index &row = row_of_[rows[r].terms[0].first];
      require(row < 0, "two rows have the same lead");
      row = static_cast<Index>(r);
    }
    for (const Element &row : rows_) require(remainder(row).terms.empty(), "a row is not zero at the lead of another");
  }
  bool leads(Index slot) const { return row_of_[slot] >= 0; }
  bool hasRow(const Element &row) const {
    return leads(row.terms[0].first) && rows_[row_of_[row.terms[0].first]] == row;
  }
  // v minus the sum of v[lead] * row: zero at the leads, and zero exactly if v is inside.
  Element remainder(const Element &v) const {
    for (const auto &[slot, numerator] : v.terms) {
      algebra_.add(slot, numerator, lcm_);
      if (leads(slot)) algebra_.add(rows_[row_of_[slot]], -numerator * lcm_ / rows_[row_of_[slot]].denominator);
    }
    return algebra_.take(v.denominator * lcm_);
  }

private:
  const Algebra &algebra_;
  Elements rows_;
  std::vector<Index> row_of_;
  Integer lcm_ = 1;
};

// Counts independent elements modulo a prime: over Q there may be more, not fewer.
class Rank {
public:
  explicit Rank(std::uint64_t characteristic)
      : p_(characteristic != 0 ? characteristic : (std::uint64_t{1} << 61) - 1) {}
  std::size_t get() const { return rows_.size(); }
  void insert(const Element &element) {
    std::map<Index, std::uint64_t> rest;
    for (const auto &[slot, numerator] : element.terms) rest.emplace(slot, mpz_fdiv_ui(numerator.get_mpz_t(), p_));
    while (!rest.empty()) {
      auto [last, value] = *rest.rbegin();
      auto row = rows_.find(last);
      if (value == 0) {
        rest.erase(last);
      } else if (row == rows_.end()) {
        std::uint64_t inverse = 1; // value^(p-2)
        for (std::uint64_t exponent = p_ - 2; exponent > 0; exponent >>= 1, value = times(value, value))
          if (exponent & 1) inverse = times(inverse, value);
        for (auto [slot, entry] : rest) rows_[last].emplace_back(slot, times(entry, inverse));
        return;
      } else {
        for (auto [slot, entry] : row->second) rest[slot] = (rest[slot] + times(p_ - value, entry)) % p_;
      }
    }
  }

private:
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const { return static_cast<unsigned __int128>(a) * b % p_; }
  std::uint64_t p_;
  std::map<Index, std::vector<std::pair<Index, std::uint64_t>>> rows_; // by last slot
};

} // namespace checker
