// Algebras given by structure constants, and how JSON writes them: what has the wrong form is refused as well.
#pragma once

#include <cstdint>
#include <gmpxx.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace checker {
inline std::string claim; // the one being checked: named when the certificate is refused
inline void require(bool holds, const char *otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}

using Json = nlohmann::json;
using Integer = mpz_class;
using Index = int64_t;                     // of a slot, that is, of a basis element b_i
using Element = std::map<Index, Integer>;  // the sum of element[i] * b_i
using Operator = std::map<Index, Element>; // b_j -> its image; 0 where there is none
constexpr Index most_slots = 1 << 21, most_constants = 1 << 23;
inline const Integer rank_prime = (Integer(1) << 61) - 1; // over Q ranks are computed modulo this one

inline void addProduct(Element &sum, const Element &x, const Integer &a) { // may leave zeros
  for (const auto &[slot, coefficient] : x) mpz_addmul(sum[slot].get_mpz_t(), coefficient.get_mpz_t(), a.get_mpz_t());
}
inline Element reduced(Element x, const Integer &p) { // to 0, ..., p - 1, if p is not 0; without zeros
  for (auto &[slot, coefficient] : x)
    if (p != 0) mpz_fdiv_r(coefficient.get_mpz_t(), coefficient.get_mpz_t(), p.get_mpz_t());
  std::erase_if(x, [](const auto &term) { return term.second == 0; });
  return x;
}
inline Element apply(const Operator &f, const Element &x, const Integer &p) {
  Element result;
  for (const auto &[j, coefficient] : x)
    if (auto image = f.find(j); image != f.end()) addProduct(result, image->second, coefficient);
  return reduced(std::move(result), p);
}
// Adds v to rows that are independent modulo p, each with its first entry 1; false where v depends on them.
inline bool addRow(Operator &rows, Element v, const Integer &p) {
  for (auto at = v.begin(); at != v.end(); at = v.erase(at)) {
    if (mpz_divisible_p(at->second.get_mpz_t(), p.get_mpz_t())) continue;
    const auto [row, fresh] = rows.try_emplace(at->first);
    if (!fresh) {
      addProduct(v, row->second, Integer(-at->second % p));
      continue;
    }
    Integer inverse;
    mpz_invert(inverse.get_mpz_t(), at->second.get_mpz_t(), p.get_mpz_t());
    addProduct(row->second, v, inverse);
    row->second = reduced(std::move(row->second), p);
    return true;
  }
  return false;
}

struct Algebra {
  Integer characteristic;            // of the ground field: a prime, or 0 for Q
  Index dimension, nonzeros = 0;     // nonzeros: of the structure constants
  std::vector<Operator> left, right; // b_j -> b_i b_j, and b_j -> b_j b_i

  Algebra(const Integer &p, Index slots) : characteristic(p), dimension(slots), left(slots), right(slots) {}
  void add(Index i, Index j, Index k, const Integer &value) {
    require(++nonzeros < most_constants && left[i][j].emplace(k, value).second, "too many constants, or one twice");
    right[j][i].emplace(k, value);
  }
  // Multiplication by x from one side: b_j -> x b_j or b_j x.
  Operator times(const std::vector<Operator> &side, const Element &x) const {
    Operator result;
    for (const auto &[slot, coefficient] : x)
      for (const auto &[j, image] : side[slot]) addProduct(result[j], image, coefficient);
    for (auto &[j, image] : result) image = reduced(std::move(image), characteristic);
    std::erase_if(result, [](const auto &entry) { return entry.second.empty(); });
    return result;
  }
};

inline Json parseJson(const std::string &text) { // the depth bounds every recursion of the checker
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json &) {
    require(depth <= 256, "nested more than 256 deep");
    return true;
  });
}
inline Index integer(const Json &value, Index least, Index most) {
  require(value.is_number_integer() && value >= least && value <= most, "an integer is missing or out of range");
  return value;
}
inline Integer number(const Json &value, const Integer &p = 0) { // in 1, ..., p - 1, or not 0; "..." beyond 64 bits
  Integer result;
  const int failed = result.set_str(value.is_number_integer() ? value.dump() : value.get<std::string>(), 10);
  require(failed == 0 && result != 0 && (p == 0 || (result > 0 && result < p)),
          "not an integer, or 0, or beyond p - 1");
  return result;
}
inline Element element(const Json &value, Index dimension, const Integer &p) { // a slot, or [[slot, coefficient], ...]
  if (value.is_number()) return {{integer(value, 0, dimension - 1), 1}};
  Element result;
  for (const Json &term : value)
    require(term.size() == 2 && result.emplace(integer(term[0], 0, dimension - 1), number(term[1], p)).second,
            "[slot, coefficient] is needed, each slot once");
  return result;
}
inline std::vector<Element> elements(const Json &value, Index dimension, const Integer &p) {
  std::vector<Element> result;
  for (const Json &entry : value) result.push_back(element(entry, dimension, p));
  return result;
}
inline std::vector<Index> slots(const Json &ranges, Index dimension) { // [first, last, first, last, ...]
  std::vector<Index> result;
  for (size_t at = 0; at < ranges.size(); at += 2) {
    const Index last = integer(ranges.at(at + 1), 0, dimension - 1);
    for (Index s = integer(ranges[at], result.empty() ? 0 : result.back() + 1, last); s <= last; ++s)
      result.push_back(s);
  }
  return result;
}
// A table; or slots at positions (i, j), numbered by rows, where (i,k)(k,j) = (i,j), for a graph only if k is i or j.
// Multiples of all constants may stand for them: x -> scale * x is an isomorphism.
inline Algebra readAlgebra(const Json &node, const Integer &p) {
  claim = "algebra";
  if (node.at("kind") == "table") {
    Algebra a(p, integer(node.at("dimension"), 1, most_slots));
    auto slot = [&](const Json &value) { return integer(value, 0, a.dimension - 1); };
    for (const Json &entry : node.at("constants")) {
      require(entry.size() == 4, "[i, j, k, coefficient] is needed");
      a.add(slot(entry[0]), slot(entry[1]), slot(entry[2]), number(entry[3], p));
    }
    return a;
  }
  const bool graph = node["kind"] == "graph";
  require(graph || node["kind"] == "matrices", "a kind that this version does not know");
  const Index n = integer(node.at("rows").size(), 1, most_slots);
  std::vector<std::map<Index, Index>> rows(n); // slots by i and j
  Index count = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j : slots(node["rows"].at(i), n)) rows[i][j] = integer(count++, 0, most_slots - 1);
  Algebra a(p, count);
  for (Index i = 0; i < n; ++i)
    for (const auto &[k, left] : rows[i])
      for (const auto &[j, right] : rows[k])
        if (!graph || i == k || k == j) a.add(left, right, rows[i].at(j), 1);
  return a;
}
// [10] b_i -> image_i / scale respects products, and is injective.
inline void requireHomomorphism(const Algebra &a, const Algebra &b, const std::vector<Element> &images,
                                const Integer &scale) {
  const Integer p = a.characteristic;
  Operator independent, scaled; // scaled: b_i -> scale * image_i
  require(std::ssize(images) == a.dimension, "there is not one image for each slot");
  for (const Element &image : images) {
    addProduct(scaled[std::ssize(scaled)], image, scale);
    require(addRow(independent, image, p != 0 ? p : rank_prime), "images depend on each other");
  }
  for (Index i = 0; i < a.dimension; ++i) {
    Operator products = a.left[i];
    const Operator left = b.times(b.left, images[i]);
    for (Index j = 0; j < a.dimension; ++j)
      require(apply(scaled, products[j], p) == apply(left, images[j], p), "a product has another image");
  }
}
} // namespace checker
