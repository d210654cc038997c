// A whole certificate: families, products of algebras, and the claims that follow.
#pragma once

#include "checker/leaf.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace checker {

constexpr Index kMostSlots = 1 << 21, kMostConstants = 1 << 24;

// Slots at positions (i, j), numbered by rows; (i,k)(k,j) = (i,j), in the algebra of a graph only if k is i or j.
inline std::vector<Constant> familyConstants(const std::string &kind, const Json &node, Algebra &algebra) {
  const Index n = integer(node.at("n"), 1, kMostSlots);
  std::map<std::pair<Index, Index>, Index> slots;
  for (Index i = 0; i < n; ++i) {
    const Index last = kind == "D" || kind == "graph" ? i : kind == "path" ? std::min(i + 1, n - 1) : n - 1;
    for (Index j = kind == "Q" || kind == "M" ? 0 : i; j <= last && std::ssize(slots) < kMostSlots; ++j) slots[{i, j}];
  }
  if (kind == "graph")
    for (const Json &edge : node.at("edges")) {
      const std::pair position(integer(edge.at(0), 0, n - 1), integer(edge.at(1), 0, n - 1));
      require(slots.emplace(position, 0).second, "a loop, or an edge given twice");
    }
  require(std::ssize(slots) < kMostSlots, "there are too many slots");
  for (auto &[position, slot] : slots) slot = algebra.dimension++;
  algebra.values = {1};
  std::vector<Constant> constants;
  for (const auto &[left, first] : slots)
    for (auto right = slots.lower_bound({left.second, 0}); right != slots.end() && right->first.first == left.second;
         ++right) {
      const auto [k, j] = right->first;
      if (kind == "M" || kind == "T" || left.first == k || k == j)
        constants.push_back({first, right->second, slots.at({left.first, j}), 0});
      require(std::ssize(constants) < kMostConstants, "there are too many constants");
    }
  return constants;
}

inline Algebra readAlgebra(const Json &node, const Integer &characteristic) {
  claim = "algebra";
  Algebra algebra;
  algebra.characteristic = characteristic;
  std::vector<Constant> constants;
  const std::string kind = node.at("kind");
  if (kind == "table") {
    algebra.dimension = integer(node.at("dimension"), 1, kMostSlots);
    if (characteristic == 0) algebra.scale = commonDenominator(node.at("constants"));
    std::unordered_map<std::string, std::uint32_t> known; // values by their text
    for (const Json &constant : node.at("constants")) {
      auto slot = [&](int at) { return integer(constant.at(at), 0, algebra.dimension - 1); };
      auto [value, fresh] = known.try_emplace(constant.at(3).dump(), known.size());
      if (fresh) algebra.values.push_back(number(constant.at(3), algebra.scale, characteristic));
      require(algebra.values[value->second] != 0 && constant.size() == 4,
              "[i, j, k, coefficient], not zero, is needed");
      constants.push_back({slot(0), slot(1), slot(2), value->second});
      require(std::ssize(constants) < kMostConstants, "there are too many constants");
    }
  } else {
    require(std::set<std::string>{"Q", "graph", "path", "D", "M", "T"}.contains(kind), "an unknown kind");
    constants = familyConstants(kind, node, algebra);
  }
  if (characteristic == 0) algebra.common = commonDenominator(node.at("proof"));
  algebra.setConstants(constants);
  return algebra;
}

// The rules for tensor and direct products [10].
inline Facts combine(const Facts &a, const Facts &b, bool tensor, bool finite) {
  auto merge = [&](const Integer &x, const Integer &y) -> Integer { return tensor ? Integer(x * y) : Integer(x + y); };
  Facts c;
  c.dimension = merge(a.dimension, b.dimension);
  c.nonzeros = merge(a.nonzeros, b.nonzeros);
  c.rank_upper = merge(a.rank_upper, b.rank_upper);
  if (a.center != 0 && b.center != 0) c.center = merge(a.center, b.center);
  c.commutative = a.commutative && b.commutative;
  c.arrow = a.arrow || b.arrow;
  c.chain = a.chain || b.chain || (tensor && a.arrow && b.arrow);
  if (a.components.empty() || b.components.empty()) return c;
  require(a.layers.size() + b.layers.size() < 1 << 16, "the radical series is too long");
  if (!tensor) {
    c.layers = a.layers;
    addProduct(c.layers, b.layers, 1);
    c.components = a.components;
    for (const auto &[simple, count] : b.components) c.components[simple] += count;
    return c;
  }
  for (const auto &[s, layer] : a.layers)
    for (const auto &[t, other] : b.layers) addProduct(c.layers[s + t], layer, other);
  for (const auto &[x, x_count] : a.components)
    for (const auto &[y, y_count] : b.components) {
      const Index copies = std::gcd(x.center, y.center);
      require(finite || copies == 1, "over Q the degrees of the centres of two factors have to be coprime");
      c.components[{x.dimension * y.dimension / copies, x.center * y.center / copies, x.degree * y.degree}] +=
          copies * x_count * y_count;
    }
  return c;
}

inline Facts checkAlgebra(const Json &node, const Integer &characteristic) {
  if (!node.contains("factors")) return Leaf(readAlgebra(node, characteristic), node.at("proof")).check();
  const bool tensor = node.at("kind") == "tensor";
  std::optional<Facts> result;
  for (const Json &factor : node.at("factors")) {
    const Facts own = checkAlgebra(factor, characteristic);
    claim = "algebra";
    require(own.associative && own.unital, "the factors of products have to be associative and unital");
    for (Index copy = integer(factor.value("power", Json(1)), 1, 64); copy > 0; --copy) {
      result = result ? combine(*result, own, tensor, characteristic != 0) : own;
      require(result->dimension.fits_slong_p() && result->nonzeros.fits_slong_p(), "a number leaves 64 bits");
    }
  }
  require(result && (tensor || node.at("kind") == "direct"), "an unknown kind of product");
  return *result;
}

inline Json established(const Facts &facts) {
  Json claims = {{"dimension", facts.dimension.get_si()},
                 {"nonzeros", facts.nonzeros.get_si()},
                 {"associative", facts.associative},
                 {"commutative", facts.commutative},
                 {"unital", facts.unital},
                 {"rank_upper", facts.rank_upper.get_si()}};
  if (facts.center != 0) claims["center_dimension"] = facts.center.get_si();
  if (facts.components.empty()) return claims;
  Integer ideals = 0, radical = 0;
  std::vector<Index> series = {0};
  for (Index s = std::ssize(facts.layers); s-- > 1;) {
    radical += facts.layers.at(s);
    series.insert(series.begin(), radical.get_si());
  }
  for (const auto &[simple, count] : facts.components) {
    claims["simple_components"].push_back({{"dimension", simple.dimension},
                                           {"center_degree", simple.center},
                                           {"matrix_degree", simple.degree != 0 ? Json(simple.degree) : Json()},
                                           {"count", count.get_si()}});
    ideals += count;
  }
  const Simple &simple = facts.components.begin()->first; // lower bounds on the rank [11]
  const Integer strassen = 2 * facts.dimension - ideals, n = simple.degree;
  require(strassen.fits_slong_p(), "a number leaves 64 bits");
  std::pair<Integer, const char *> best(strassen, "alder-strassen");
  auto offer = [&](bool applies, const Integer &products, const char *rule) {
    if (applies && products > best.first) best = {products, rule};
  };
  const bool matrices = facts.layers.size() == 1 && ideals == 1 && simple.center == 1 && n < 1 << 20;
  offer(facts.chain && facts.components.size() == 1 && simple.dimension == 1, strassen + 1, "peirce");
  offer(matrices && n >= 3, 2 * n * n + n - 2, "blaser-2003");
  offer(matrices, (5 * n * n + 1) / 2 - 3 * n, "blaser-1999");
  claims.update({{"radical_dimension", radical.get_si()},
                 {"radical_series", series},
                 {"maximal_ideals", ideals.get_si()},
                 {"alder_strassen", strassen.get_si()},
                 {"rank_lower", best.first.get_si()},
                 {"rank_lower_rule", best.second}});
  return claims;
}

inline Json check(const Json &certificate) {
  claim = "certificate";
  require(certificate.at("certificate") == 1, "this version reads format 1");
  claim = "field";
  const std::string field = certificate.at("field");
  Integer p = 0;
  if (field != "Q")
    require(field.starts_with("GF(") && field.ends_with(")") && p.set_str(field.substr(3, field.size() - 4), 10) == 0 &&
                isPrime(p),
            "it is Q, or GF(p) for a prime p below 2^63");
  const Json proved = established(checkAlgebra(certificate.at("algebra"), p)), &claims = certificate.at("claims");
  for (const auto &[key, value] : proved.items()) {
    claim = key;
    require(claims.at(key) == value, "the certificate proves another value");
  }
  claim = "claims";
  require(claims.size() == proved.size(), "there is one that is not proved");
  return proved;
}

} // namespace checker
