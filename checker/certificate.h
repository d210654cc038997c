// A whole certificate: tables, products of algebras, and the claims that follow.
#pragma once

#include "checker/leaf.h"

#include <array>
#include <optional>
#include <utility>

template <> struct nlohmann::adl_serializer<mpz_class> {
  static void to_json(checker::Json &json, const mpz_class &value) {
    checker::require(value.fits_slong_p(), "a number leaves 64 bits");
    json = value.get_si();
  }
};

namespace checker {

constexpr Index kMostSlots = 1 << 21;

// Slots at positions (i, j), numbered by rows; (i,k)(k,j) = (i,j), in the algebra of a graph only if k is i or j.
inline void addFamily(Algebra &algebra, const std::string &kind, const Json &node) {
  const Index n = integer(node.at("n"), 1, kMostSlots);
  std::map<Index, std::map<Index, Index>> rows; // of slots
  Index count = 0;
  for (Index i = 0; i < n; ++i) {
    const Index last = kind == "D" || kind == "graph" ? i : kind == "path" ? std::min(i + 1, n - 1) : n - 1;
    for (Index j = kind == "Q" || kind == "M" ? 0 : i; j <= last; ++j) {
      rows[i][j] = 0;
      require(++count < kMostSlots, "there are too many slots");
    }
  }
  for (const Json &edge : kind == "graph" ? node.at("edges") : Json::array())
    require(rows[integer(edge.at(0), 0, n - 1)].emplace(integer(edge.at(1), 0, n - 1), 0).second,
            "a loop, or an edge twice");
  count = 0;
  for (auto &[i, row] : rows)
    for (auto &[j, slot] : row) slot = count++;
  algebra.resize(count);
  const Integer *one = &(algebra.values["1"] = 1);
  for (const auto &[i, row] : rows)
    for (const auto &[k, left] : row)
      for (const auto &[j, right] : rows[k])
        if (kind == "M" || kind == "T" || i == k || k == j) algebra.add({left, right, row.at(j), one});
}

inline Algebra readAlgebra(const Json &node, const Integer &characteristic) {
  claim = "algebra";
  Algebra a;
  a.characteristic = characteristic;
  if (characteristic == 0) a.common = commonDenominator(node.at("proof"));
  if (std::string kind = node.at("kind"); kind != "table") {
    addFamily(a, kind, node);
    return a;
  }
  a.resize(integer(node.at("dimension"), 1, kMostSlots));
  if (characteristic == 0) a.scale = commonDenominator(node.at("constants"));
  for (const Json &entry : node.at("constants")) {
    auto slot = [&](int at) { return integer(entry.at(at), 0, a.dimension - 1); };
    auto [value, fresh] = a.values.try_emplace(entry.at(3).dump()); // each is read once
    if (fresh) value->second = number(entry.at(3), a.scale, characteristic);
    require(value->second != 0 && entry.size() == 4, "[i, j, k, coefficient], not zero, is needed");
    a.add({slot(0), slot(1), slot(2), &value->second});
  }
  return a;
}

// The rules for tensor and direct products [10].
inline Facts combine(const Facts &a, const Facts &b, bool tensor, bool finite) {
  auto merge = [&](const Integer &x, const Integer &y) { return tensor ? Integer(x * y) : Integer(x + y); };
  Facts c;
  c.dimension = merge(a.dimension, b.dimension);
  require(c.dimension.fits_slong_p(), "a number leaves 64 bits"); // then those of its components fit
  c.nonzeros = merge(a.nonzeros, b.nonzeros);
  c.rank_upper = merge(a.rank_upper, b.rank_upper);
  c.center = a.center != 0 && b.center != 0 ? merge(a.center, b.center) : Integer(0);
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
    for (Index copy = integer(factor.value("power", Json(1)), 1, 64); copy > 0; --copy)
      result = result ? combine(*result, own, tensor, characteristic != 0) : own;
  }
  require(result && (tensor || node.at("kind") == "direct"), "a kind of product that this version does not know");
  return *result;
}

inline Json established(const Facts &facts) {
  Json claims = {{"dimension", facts.dimension},     {"nonzeros", facts.nonzeros}, {"associative", facts.associative},
                 {"commutative", facts.commutative}, {"unital", facts.unital},     {"rank_upper", facts.rank_upper}};
  if (facts.center != 0) claims["center_dimension"] = facts.center;
  if (facts.components.empty()) return claims;
  Integer ideals;
  for (const auto &[simple, count] : facts.components) {
    const Json degree = simple.degree != 0 ? Json(simple.degree) : Json();
    claims["simple_components"].push_back({{"dimension", simple.dimension},
                                           {"center_degree", simple.center},
                                           {"matrix_degree", degree},
                                           {"count", count}});
    ideals += count;
  }
  std::vector<Integer> series(facts.layers.size());
  for (std::size_t s = series.size() - 1; s-- > 0;) series[s] = series[s + 1] + facts.layers.at(s + 1);
  claims["radical_series"] = series;
  claims["radical_dimension"] = series[0];
  claims["maximal_ideals"] = ideals;
  claims["alder_strassen"] = claims["rank_lower"] = Integer(2 * facts.dimension - ideals);
  claims["rank_lower_rule"] = "alder-strassen";
  auto offer = [&](bool applies, const Integer &products, const char *rule) { // lower bounds on the rank [11]
    if (!applies || products <= claims["rank_lower"].get<Index>()) return;
    claims["rank_lower"] = products;
    claims["rank_lower_rule"] = rule;
  };
  const auto &[dimension, center, n] = facts.components.begin()->first;
  const bool basic = facts.components.size() == 1 && dimension == 1,
             matrices = series[0] == 0 && ideals == 1 && center == 1 && n < 1 << 20;
  offer(basic && facts.chain, 2 * facts.dimension - ideals + 1, "peirce");
  offer(matrices && n >= 3, 2 * n * n + n - 2, "blaser-2003");
  offer(matrices, (5 * n * n + 1) / 2 - 3 * n, "blaser-1999");
  return claims;
}

inline Json check(const Json &certificate) {
  claim = "certificate";
  require(certificate.at("certificate") == 1, "this version reads format 1");
  claim = "field";
  const std::string field = certificate.at("field");
  Integer p = 0;
  const bool finite =
      field.starts_with("GF(") && field.ends_with(")") && p.set_str(field.substr(3, field.size() - 4), 10) == 0;
  require(field == "Q" || (finite && isPrime(p)), "it is Q, or GF(p) for a prime p below 2^63");
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
