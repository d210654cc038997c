// Elements of an algebra given by structure constants, their products, and spaces of elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <gmpxx.h>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace checker {

inline std::string claim; // the one being checked: named when the certificate is refused

inline void require(bool holds, const char *otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}

using Integer = mpz_class;
using Index = std::int64_t;               // of a slot, that is, of a basis element b_i
using Element = std::map<Index, Integer>; // the sum of element[i] * b_i, over a denominator that all have in common
using Elements = std::vector<Element>;
using Operator = std::map<Index, Element>; // b_j -> its image; 0 where there is none

inline void addProduct(Integer &sum, const Integer &a, const Integer &b) {
  mpz_addmul(sum.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}
inline void addProduct(Element &sum, const Element &x, const Integer &a) { // may leave zeros
  for (const auto &[slot, coefficient] : x) addProduct(sum[slot], coefficient, a);
}
inline void reduce(Integer &a, const Integer &modulus) { // to 0, ..., modulus - 1; not at all if that is 0
  if (modulus != 0) mpz_fdiv_r(a.get_mpz_t(), a.get_mpz_t(), modulus.get_mpz_t());
}
inline Element reduced(Element x, const Integer &modulus) { // without zeros
  for (auto &[slot, coefficient] : x) reduce(coefficient, modulus);
  std::erase_if(x, [](const auto &term) { return term.second == 0; });
  return x;
}
inline Element apply(const Operator &f, const Element &x, const Integer &modulus) {
  Element result;
  for (const auto &[j, coefficient] : x)
    if (auto image = f.find(j); image != f.end()) addProduct(result, image->second, coefficient);
  return reduced(std::move(result), modulus);
}

// Rows with the same entry, `one`, at their first slot, the lead; given ones are 0 at the leads of the others.
class Space {
public:
  explicit Space(const Integer &modulus, const Integer &one = 1, const Elements &rows = {}) : p_(modulus), one_(one) {
    for (const Element &row : rows)
      require(!row.empty() && row.begin()->second == one && rows_.emplace(row.begin()->first, row).second, "a lead");
    for (const auto &[lead, row] : rows_)
      for (const auto &[slot, entry] : row) require(slot == lead || !leads(slot), "a row is not 0 at another's lead");
  }
  Index dimension() const { return std::ssize(rows_); }
  bool leads(Index slot) const { return rows_.contains(slot); }
  bool contains(const Element &v) const { return remainder(v).empty(); }
  // one * v minus multiples of the rows: zero at their leads, and zero exactly if v is inside.
  Element remainder(const Element &v) const {
    Element rest;
    addProduct(rest, v, one_);
    for (auto at = rest.begin(); at != rest.end(); at = at->second == 0 ? rest.erase(at) : std::next(at)) {
      reduce(at->second, p_);
      auto row = rows_.find(at->first); // changes what comes after its lead
      if (row != rows_.end()) addProduct(rest, row->second, Integer(-at->second / one_));
    }
    return rest;
  }
  Element insert(const Element &v) { // modulo a prime; returns the remainder, zero where v was inside already
    const Element rest = remainder(v);
    if (rest.empty()) return rest;
    Integer inverse;
    mpz_invert(inverse.get_mpz_t(), rest.begin()->second.get_mpz_t(), p_.get_mpz_t());
    Element &row = rows_[rest.begin()->first];
    addProduct(row, rest, inverse);
    row = reduced(std::move(row), p_);
    return rest;
  }

private:
  Integer p_, one_;
  std::map<Index, Element> rows_; // by lead
};

struct Constant { // of b_i b_j at b_k
  Index i, j, k;
  const Integer *value;
};
enum Side { kRight = -1, kCommutator = 0, kLeft = 1 }; // where x stands: y x, x y - y x, x y

struct Algebra {
  Integer characteristic = 0;         // of the ground field: a prime, or 0 for Q
  Index dimension = 0, constants = 0; // how many
  Integer common = 1, scale = 1;      // denominators: of elements, and of structure constants
  std::unordered_map<std::string, Integer> values;
  std::vector<std::vector<Constant>> by_left, by_right, by_output;

  void resize(Index slots) {
    dimension = slots;
    for (auto *list : {&by_left, &by_right, &by_output}) list->resize(slots);
  }
  void add(const Constant &c) { // in ascending order
    const std::vector<Constant> &row = by_left[c.i];
    require(++constants < 1 << 24, "there are too many constants");
    require(row.empty() || std::pair(row.back().j, row.back().k) < std::pair(c.j, c.k), "constants have to ascend");
    by_left[c.i].push_back(c);
    by_right[c.j].push_back(c);
    by_output[c.k].push_back(c);
  }

  // y -> x y, y x or x y - y x for basis elements y, or those of a subset.
  Operator multiplication(Side side, const Element &x, const std::vector<bool> *subset = nullptr) const {
    Operator result;
    for (const auto &[slot, coefficient] : x) {
      const Integer other = side == kRight ? coefficient : Integer(-coefficient);
      for (const Constant &c : by_left[slot])
        if (side != kRight && (!subset || (*subset)[c.j])) addProduct(result[c.j][c.k], coefficient, *c.value);
      for (const Constant &c : by_right[slot])
        if (side != kLeft && (!subset || (*subset)[c.i])) addProduct(result[c.i][c.k], other, *c.value);
    }
    for (auto &[slot, image] : result) image = reduced(std::move(image), characteristic);
    std::erase_if(result, [](const auto &entry) { return entry.second.empty(); });
    return result;
  }
};

} // namespace checker
