// A whole certificate: families, products of algebras, and the claims that follow.
#pragma once

#include "checker/leaf.h"

namespace checker {

constexpr std::int64_t kMostSlots = 1 << 21, kMostConstants = 1 << 24;

// Slots at positions (i, j), numbered by rows; (i,k)(k,j) = (i,j), in the algebra of a graph only if k is i or j.
inline void addFamily(Algebra &algebra, char kind, const Json &node) {
  std::int64_t n = integer(node.at("n"), 1, kMostSlots);
  std::vector<std::pair<Index, Index>> positions;
  auto add = [&](Index i, Index j) {
    require(positions.size() < kMostSlots, "too many slots");
    positions.emplace_back(i, j);
  };
  bool full = kind == 'Q' || kind == 'M', matrices = kind == 'M' || kind == 'T';
  for (Index i = 0; i < n; ++i)
    for (Index j = full ? 0 : i; j < n && (full || kind == 'T' || j == i || (kind == 'p' && j == i + 1)); ++j)
      add(i, j);
  if (kind == 'g')
    for (const Json &edge : list(node.at("edges"))) add(integer(edge.at(0), 0, n - 1), integer(edge.at(1), 0, n - 1));
  std::ranges::sort(positions);
  require(std::ranges::adjacent_find(positions) == positions.end(), "a loop, or an edge given twice");
  auto slot = [&](Index i, Index j) {
    return static_cast<Index>(std::ranges::lower_bound(positions, std::pair(i, j)) - positions.begin());
  };
  algebra.values = {1};
  algebra.dimension = static_cast<Index>(positions.size());
  for (Index left = 0; left < algebra.dimension; ++left)
    for (Index i = positions[left].first, k = positions[left].second, right = slot(k, 0);
         right < algebra.dimension && positions[right].first == k; ++right)
      if (Index j = positions[right].second; matrices || i == k || k == j) {
        algebra.constants.push_back({left, right, slot(i, j), 0});
        require(algebra.constants.size() < kMostConstants, "too many constants");
      }
}

inline Algebra readAlgebra(const Json &node, std::uint64_t characteristic) {
  claim = "algebra";
  Algebra algebra;
  algebra.characteristic = characteristic;
  if (std::string kind = node.at("kind"); std::set<std::string>{"Q", "graph", "path", "D", "M", "T"}.contains(kind)) {
    addFamily(algebra, kind[0], node);
  } else {
    require(kind == "table", "a kind that this version does not know");
    algebra.dimension = static_cast<Index>(integer(node.at("dimension"), 1, kMostSlots));
    std::map<mpq_class, std::uint32_t> known;
    for (const Json &constant : list(node.at("constants"))) {
      auto slot = [&](int at) { return static_cast<Index>(integer(constant.at(at), 0, algebra.dimension - 1)); };
      mpq_class value = number(constant.at(3), characteristic);
      require(value != 0 && constant.size() == 4, "[i, j, k, coefficient], not zero, is needed");
      auto entry = known.try_emplace(value, known.size()).first;
      algebra.constants.push_back({slot(0), slot(1), slot(2), entry->second});
      algebra.scale = lcm(algebra.scale, value.get_den());
      require(algebra.constants.size() < kMostConstants, "too many constants");
    }
    algebra.values.resize(known.size());
    for (const auto &[value, at] : known) algebra.values[at] = value.get_num() * (algebra.scale / value.get_den());
  }
  algebra.index();
  bool distinct = std::ranges::adjacent_find(algebra.constants, {}, &Constant::key) == algebra.constants.end();
  require(distinct, "a constant is given twice");
  return algebra;
}

inline std::int64_t fit(__int128 number) {
  require(number <= INT64_MAX, "a number leaves 64 bits");
  return static_cast<std::int64_t>(number);
}

// The rules for tensor and direct products [10].
inline Facts combine(const Facts &a, const Facts &b, bool tensor, bool finite) {
  auto merge = [&](__int128 x, __int128 y) { return fit(tensor ? x * y : x + y); };
  Facts c;
  c.dimension = merge(a.dimension, b.dimension);
  c.nonzeros = merge(a.nonzeros, b.nonzeros);
  c.rank_upper = merge(a.rank_upper, b.rank_upper);
  c.commutative = a.commutative && b.commutative;
  c.arrow = a.arrow || b.arrow;
  c.chain = a.chain || b.chain || (tensor && a.arrow && b.arrow);
  if (a.center && b.center) c.center = merge(*a.center, *b.center);
  if (a.components.empty() || b.components.empty()) return c;
  require(a.layers.size() + b.layers.size() < 1 << 16, "the radical series is too long");
  c.layers.resize(tensor ? a.layers.size() + b.layers.size() - 1 : std::max(a.layers.size(), b.layers.size()));
  if (!tensor) {
    c.components = a.components;
    for (auto [simple, count] : b.components) c.components[simple] = fit(__int128(c.components[simple]) + count);
    for (const Facts *factor : {&a, &b})
      for (std::size_t s = 0; s < factor->layers.size(); ++s) c.layers[s] += factor->layers[s];
    return c;
  }
  for (std::size_t s = 0; s < a.layers.size(); ++s)
    for (std::size_t t = 0; t < b.layers.size(); ++t)
      c.layers[s + t] += a.layers[s] * b.layers[t]; // at most the dimension, which fits
  for (auto [x, x_count] : a.components)
    for (auto [y, y_count] : b.components) {
      std::int64_t copies = std::gcd(x.center, y.center);
      require(finite || copies == 1, "over Q the degrees of the centres of two factors have to be coprime");
      c.components[{x.dimension * y.dimension / copies, x.center * y.center / copies, x.degree * y.degree}] +=
          copies * x_count * y_count;
    }
  return c;
}

inline Facts checkAlgebra(const Json &node, std::uint64_t characteristic) {
  if (!node.contains("factors")) return Leaf(readAlgebra(node, characteristic), node.at("proof")).check();
  bool tensor = node.at("kind") == "tensor";
  std::optional<Facts> result;
  for (const Json &factor : list(node.at("factors"))) {
    Facts own = checkAlgebra(factor, characteristic);
    claim = "algebra";
    require(own.associative && own.unital, "the factors of products have to be associative and unital");
    for (std::int64_t copy = integer(factor.value("power", Json(1)), 1, 64); copy > 0; --copy)
      result = result ? combine(*result, own, tensor, characteristic != 0) : own;
  }
  require(result && (tensor || node.at("kind") == "direct"), "a kind of product that this version does not know");
  return *result;
}

inline Json established(const Facts &facts) {
  Json claims = {{"dimension", facts.dimension},     {"nonzeros", facts.nonzeros}, {"associative", facts.associative},
                 {"commutative", facts.commutative}, {"unital", facts.unital},     {"rank_upper", facts.rank_upper}};
  if (facts.center) claims["center_dimension"] = *facts.center;
  if (facts.components.empty()) return claims;
  std::int64_t ideals = 0, radical = 0;
  std::vector<std::int64_t> series = {0};
  for (std::size_t s = facts.layers.size(); s-- > 1;) series.insert(series.begin(), radical += facts.layers[s]);
  for (auto [simple, count] : facts.components) {
    claims["simple_components"].push_back({{"dimension", simple.dimension},
                                           {"center_degree", simple.center},
                                           {"matrix_degree", simple.degree ? Json(simple.degree) : Json()},
                                           {"count", count}});
    ideals += count;
  }
  auto [simple, count] = *facts.components.begin(); // lower bounds on the rank [11]
  std::int64_t n = simple.degree, bound = fit(2 * __int128(facts.dimension) - ideals), strassen = bound;
  std::string rule = "alder-strassen";
  auto offer = [&](bool applies, std::int64_t products, const char *name) {
    if (applies && products > bound) {
      bound = products;
      rule = name;
    }
  };
  bool matrices = facts.layers.size() == 1 && ideals == 1 && simple.center == 1 && n < 1 << 20;
  offer(facts.chain && facts.components.size() == 1 && simple.dimension == 1, strassen + 1, "peirce");
  offer(matrices && n >= 3, 2 * n * n + n - 2, "blaser-2003");
  offer(matrices, (5 * n * n + 1) / 2 - 3 * n, "blaser-1999");
  claims.update({{"radical_dimension", radical},
                 {"radical_series", series},
                 {"maximal_ideals", ideals},
                 {"alder_strassen", strassen},
                 {"rank_lower", bound},
                 {"rank_lower_rule", rule}});
  return claims;
}

inline Json check(const Json &certificate) {
  claim = "certificate";
  require(certificate.at("certificate") == 1, "this version reads format 1");
  claim = "field";
  std::string field = certificate.at("field");
  Integer p = 0;
  if (field != "Q")
    require(field.starts_with("GF(") && field.ends_with(")") && p.set_str(field.substr(3, field.size() - 4), 10) == 0 &&
                isPrime(p),
            "it is Q, or GF(p) for a prime p below 2^63");
  Json proved = established(checkAlgebra(certificate.at("algebra"), p.get_ui()));
  const Json &claims = certificate.at("claims");
  for (const auto &[key, value] : proved.items()) {
    claim = key;
    require(claims.at(key) == value, "the certificate proves another value");
  }
  claim = "claims";
  require(claims.size() == proved.size(), "there is one that is not proved");
  return proved;
}

} // namespace checker
