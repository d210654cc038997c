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
  auto is_split = [](const Simple &s) { return s[0] == s[1] * s[2] * s[2]; };
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
      const bool known = is_split(x) ? is_split(y) || x[1] == 1 : is_split(y) && y[1] == 1;
      c.components[{x[0] * y[0] / copies, x[1] * y[1] / copies, known ? x[2] * y[2] : 0}] += copies * x_count * y_count;
    }
  return c;
}
inline Facts checkAlgebra(const Json &node, const Integer &p) {
  if (!node.contains("factors")) {
    const Algebra a = readAlgebra(node, p);
    if (!node.contains("basis")) return Leaf(a, node.at("proof")).check();
    const Json &basis = node["basis"];
    const Algebra b = readAlgebra(basis, p);
    claim = "basis"; // [10] all of it is in the image
    require(a.dimension == b.dimension, "there is not one image for each slot");
    requireHomomorphism(a, b, elements(basis.at("images"), b.dimension, p), number(basis.at("scale"), p));
    Facts facts = Leaf(b, basis.at("proof")).check();
    facts.nonzeros = a.nonzeros;
    return facts;
  }
  const bool tensor = node.at("kind") == "tensor";
  Facts result;
  for (const Json &factor : node["factors"]) {
    const Facts own = checkAlgebra(factor, p);
    claim = "algebra";
    require(own.associative && own.unital(), "the factors of products have to be associative and unital");
    for (Index copy = integer(factor.value("power", Json(1)), 1, 64); copy > 0; --copy)
      result = result.dimension > 0 ? combine(result, own, tensor, p != 0) : own;
  }
  require(result.dimension > 0 && (tensor || node["kind"] == "direct"), "not a product that this version knows");
  return result;
}
inline Json established(const Facts &facts) {
  Json claims = {{"dimension", facts.dimension},     {"nonzeros", facts.nonzeros}, {"associative", facts.associative},
                 {"commutative", facts.commutative}, {"unital", facts.unital()},   {"rank_upper", facts.rank_upper}};
  if (!facts.unital())
    claims.update({{"left_identity", facts.left_identity}, {"right_identity", facts.right_identity}});
  if (facts.center != 0) claims["center_dimension"] = facts.center;
  if (facts.components.empty()) return claims;
  Index ideals = 0;
  for (const auto &[simple, count] : facts.components) {
    Json entry = {{"dimension", simple[0]}, {"center_degree", simple[1]}, {"count", count}}, r, division;
    if (simple[2] != 0) r = simple[2], division = simple[0] / (simple[2] * simple[2]);
    entry.update({{"matrix_degree", r}, {"division_dimension", division}});
    claims["simple_components"] += entry;
    ideals += count;
  }
  std::vector<Index> series(facts.layers.size());
  for (size_t s = series.size() - 1; s-- > 0;) series[s] = series[s + 1] + facts.layers.at(s + 1);
  std::pair<Index, std::string> lower = {2 * facts.dimension - ideals, "alder-strassen"}; // of the rank [12]
  const auto &[size, center, n] = facts.components.begin()->first;
  claims.update({{"radical_series", series}, {"radical_dimension", series[0]}, {"maximal_ideals", ideals}});
  claims["alder_strassen"] = lower.first;
  if (facts.chain >= 2 && facts.components.size() == 1 && size == 1) lower = {lower.first + 1, "peirce"};
  const bool matrices = series[0] == 0 && ideals == 1 && center == 1 && n < 1 << 20 && n * n == size;
  if (matrices && n >= 3) lower = std::max(lower, {2 * n * n + n - 2, "blaser-2003"});
  if (matrices) lower = std::max(lower, {(5 * n * n + 1) / 2 - 3 * n, "blaser-1999"});
  claims.update({{"rank_lower", lower.first}, {"rank_lower_rule", lower.second}});
  return claims;
}
inline Json check(const Json &certificate) {
  claim = "certificate";
  require(certificate.at("certificate") == 3, "this version reads format 3");
  claim = "field";
  const std::string field = certificate.at("field");
  const Integer p = field == "Q" ? Integer(0) : number(field.substr(3, field.size() - 4));
  require(field == "Q" || (isPrime(p) && field == "GF(" + p.get_str() + ")"), "not Q, or GF(p) for a prime p < 2^63");
  const Json proved = established(checkAlgebra(certificate.at("algebra"), p)), &claims = certificate.at("claims");
  for (const auto &[key, value] : proved.items())
    require(claims.at(claim = key) == value, "the certificate proves another value");
  claim = "claims";
  require(claims.size() == proved.size(), "there is one that is not proved");
  return proved;
}
} // namespace checker
