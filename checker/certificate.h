// A whole certificate: tables, other bases of them, products of algebras, and the claims that follow.
#pragma once

#include "checker/leaf.h"

namespace checker {
// The rules for tensor and direct products [11].
inline Facts combine(const Facts &a, const Facts &b, bool tensor, bool finite) {
  auto merge = [&](Index x, Index y) {
    const Integer result = tensor ? Integer(Integer(x) * y) : Integer(Integer(x) + y);
    require(result < Integer(1) << 62, "a number leaves 62 bits");
    return result.get_si();
  };
  Facts c;
  c.dimension = merge(a.dimension, b.dimension);
  c.nonzeros = merge(a.nonzeros, b.nonzeros);
  c.rank_upper = merge(a.rank_upper, b.rank_upper);
  c.center = a.center != 0 && b.center != 0 ? merge(a.center, b.center) : 0;
  c.commutative = a.commutative && b.commutative;
  c.chain = tensor && a.chain > 0 && b.chain > 0 ? 2 : std::max(a.chain, b.chain);
  if (a.components.empty() || b.components.empty()) return c;
  if (!tensor) {
    c.layers = a.layers;
    for (const auto &[s, layer] : b.layers) c.layers[s] += layer;
    c.components = a.components;
    for (const auto &[simple, count] : b.components) c.components[simple] += count;
    return c;
  }
  for (const auto &[s, layer] : a.layers)
    for (const auto &[t, other] : b.layers) c.layers[s + t] += layer * other;
  for (const auto &[x, x_count] : a.components)
    for (const auto &[y, y_count] : b.components) {
      const Index copies = std::gcd(x[1], y[1]);
      require(finite || copies == 1, "over Q the degrees of the centres of two factors have to be coprime");
      c.components[{x[0] * y[0] / copies, x[1] * y[1] / copies, x[2] * y[2]}] += copies * x_count * y_count;
    }
  return c;
}

// [10] b_i -> image_i / scale is an isomorphism.
inline void requireIsomorphism(const Algebra &a, const Algebra &b, const Json &basis) {
  claim = "basis";
  const Integer p = a.characteristic, scale = number(basis.at("scale"), p);
  const std::vector<Element> images = elements(basis.at("images"), b.dimension, p);
  Operator independent, scaled; // scaled: b_i -> scale * image_i
  for (const Element &image : images) {
    addProduct(scaled[std::ssize(scaled)], image, scale);
    require(addRow(independent, image, p != 0 ? p : kRankPrime), "images depend on each other");
  }
  require(std::ssize(images) == a.dimension && a.dimension == b.dimension, "there is not one image for each slot");
  for (Index i = 0; i < a.dimension; ++i) {
    Operator products = a.left[i];
    const Operator left = b.times(b.left, images[i]);
    for (Index j = 0; j < a.dimension; ++j)
      require(apply(scaled, products[j], p) == apply(left, images[j], p), "a product has another image");
  }
}

inline Facts checkAlgebra(const Json &node, const Integer &p) {
  if (!node.contains("factors")) {
    const Algebra a = readAlgebra(node, p);
    if (!node.contains("basis")) return Leaf(a, node.at("proof")).check();
    const Algebra b = readAlgebra(node["basis"], p);
    requireIsomorphism(a, b, node["basis"]);
    Facts facts = Leaf(b, node["basis"].at("proof")).check();
    facts.nonzeros = a.nonzeros;
    return facts;
  }
  const bool tensor = node.at("kind") == "tensor";
  Facts result;
  for (const Json &factor : node["factors"]) {
    const Facts own = checkAlgebra(factor, p);
    claim = "algebra";
    require(own.associative && own.unital, "the factors of products have to be associative and unital");
    for (Index copy = integer(factor.value("power", Json(1)), 1, 64); copy > 0; --copy)
      result = result.dimension > 0 ? combine(result, own, tensor, p != 0) : own;
  }
  require(result.dimension > 0 && (tensor || node["kind"] == "direct"), "not a product that this version knows");
  return result;
}

inline Json established(const Facts &facts) {
  Json claims = {{"dimension", facts.dimension},     {"nonzeros", facts.nonzeros}, {"associative", facts.associative},
                 {"commutative", facts.commutative}, {"unital", facts.unital},     {"rank_upper", facts.rank_upper}};
  if (facts.center != 0) claims["center_dimension"] = facts.center;
  if (facts.components.empty()) return claims;
  Index ideals = 0;
  for (const auto &[simple, count] : facts.components) {
    const Json n = simple[2] != 0 ? Json(simple[2]) : Json();
    claims["simple_components"] +=
        {{"dimension", simple[0]}, {"center_degree", simple[1]}, {"matrix_degree", n}, {"count", count}};
    ideals += count;
  }
  std::vector<Index> series(facts.layers.size());
  for (std::size_t s = series.size() - 1; s-- > 0;) series[s] = series[s + 1] + facts.layers.at(s + 1);
  std::pair<Index, std::string> lower = {2 * facts.dimension - ideals, "alder-strassen"}; // of the rank [12]
  const auto &[size, center, n] = facts.components.begin()->first;
  claims.update({{"radical_series", series}, {"radical_dimension", series[0]}, {"maximal_ideals", ideals}});
  claims["alder_strassen"] = lower.first;
  if (facts.chain >= 2 && facts.components.size() == 1 && size == 1) lower = {lower.first + 1, "peirce"};
  const bool matrices = series[0] == 0 && ideals == 1 && center == 1 && n < 1 << 20;
  if (matrices && n >= 3) lower = std::max(lower, {2 * n * n + n - 2, "blaser-2003"});
  if (matrices) lower = std::max(lower, {(5 * n * n + 1) / 2 - 3 * n, "blaser-1999"});
  claims.update({{"rank_lower", lower.first}, {"rank_lower_rule", lower.second}});
  return claims;
}

inline Json check(const Json &certificate) {
  claim = "certificate";
  require(certificate.at("certificate") == 2, "this version reads format 2");
  claim = "field";
  const std::string field = certificate.at("field");
  const Integer p = field == "Q" ? Integer(0) : number(field.substr(3, field.size() - 4));
  require(field == "Q" || (isPrime(p) && field == "GF(" + p.get_str() + ")"), "not Q, or GF(p) for a prime p < 2^63");
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
