#include "algebras/certificate/claims.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace algebras {

namespace {

// Sums and products that remember whether they fit.
struct Checked {
  bool fits = true;
  int64_t plus(int64_t left, int64_t right) {
    int64_t sum = 0;
    fits = !__builtin_add_overflow(left, right, &sum) && fits;
    return sum;
  }
  int64_t times(int64_t left, int64_t right) {
    int64_t product = 0;
    fits = !__builtin_mul_overflow(left, right, &product) && fits;
    return product;
  }
};

nlohmann::ordered_json orNull(int64_t value) {
  return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

// M_d(K) for its centre K.
bool isSplit(const ClaimedComponent &component) {
  return component.degree > 0 &&
         component.dimension == component.center * component.degree * component.degree;
}

constexpr size_t longest_series = size_t{1} << 16;

std::pair<int64_t, std::string> lowerBound(const Claims &claims, int64_t ideals) {
  std::pair<int64_t, std::string> best{2 * claims.dimension - ideals, "alder-strassen"};
  auto offer = [&](bool applies, int64_t bound, const char *rule) {
    if (applies && bound > best.first)
      best = {bound, rule};
  };
  const auto &[component, count] = *claims.components.begin();
  int64_t n = component.degree;
  bool basic = claims.components.size() == 1 && component.dimension == 1;
  bool matrices = claims.layers.size() == 1 && ideals == 1 && component.center == 1 && n > 0 && n < 1 << 20 &&
                  isSplit(component);
  offer(basic && claims.chain == 2, best.first + 1, "peirce");
  offer(matrices && n >= 3, 2 * n * n + n - 2, "blaser-2003");
  offer(matrices, (5 * n * n + 1) / 2 - 3 * n, "blaser-1999");
  return best;
}

} // namespace

std::optional<Claims> directProductClaims(Claims left, const Claims &right) {
  Checked sizes;
  left.dimension = sizes.plus(left.dimension, right.dimension);
  left.nonzeros = sizes.plus(left.nonzeros, right.nonzeros);
  left.rank_upper = sizes.plus(left.rank_upper, right.rank_upper);
  left.commutative = left.commutative && right.commutative;
  left.chain = std::max(left.chain, right.chain);
  if (left.center && right.center)
    left.center = sizes.plus(*left.center, *right.center);
  else
    left.center.reset();
  if (left.components.empty() || right.components.empty()) {
    left.components.clear();
  } else {
    left.layers.resize(std::max(left.layers.size(), right.layers.size()));
    for (size_t s = 0; s < right.layers.size(); ++s)
      left.layers[s] = sizes.plus(left.layers[s], right.layers[s]);
    for (auto [component, count] : right.components)
      left.components[component] = sizes.plus(left.components[component], count);
  }
  return sizes.fits ? std::optional(left) : std::nullopt;
}

std::optional<Claims> tensorProductClaims(const Field &field, const Claims &left, const Claims &right) {
  Checked sizes;
  Claims result;
  result.dimension = sizes.times(left.dimension, right.dimension);
  result.nonzeros = sizes.times(left.nonzeros, right.nonzeros);
  result.rank_upper = sizes.times(left.rank_upper, right.rank_upper);
  result.commutative = left.commutative && right.commutative;
  result.chain = left.chain > 0 && right.chain > 0 ? 2 : std::max(left.chain, right.chain);
  if (left.center && right.center)
    result.center = sizes.times(*left.center, *right.center);
  if (left.components.empty() || right.components.empty())
    return sizes.fits ? std::optional(result) : std::nullopt;
  if (left.layers.size() + right.layers.size() >= longest_series)
    return std::nullopt;
  result.layers.resize(left.layers.size() + right.layers.size() - 1);
  for (size_t s = 0; s < left.layers.size(); ++s)
    for (size_t t = 0; t < right.layers.size(); ++t)
      result.layers[s + t] = sizes.plus(result.layers[s + t], sizes.times(left.layers[s], right.layers[t]));
  for (auto [x, x_count] : left.components)
    for (auto [y, y_count] : right.components) {
      int64_t copies = std::gcd(x.center, y.center);
      if (copies > 1 && field.isRationals())
        return std::nullopt;
      // A division algebra stays one when nothing but matrices over F comes to it.
      bool known = isSplit(x) ? isSplit(y) || x.center == 1 : isSplit(y) && y.center == 1;
      ClaimedComponent product{sizes.times(x.dimension, y.dimension) / copies,
                               sizes.times(x.center, y.center) / copies,
                               known ? sizes.times(x.degree, y.degree) : 0};
      int64_t &count = result.components[product];
      count = sizes.plus(count, sizes.times(copies, sizes.times(x_count, y_count)));
    }
  return sizes.fits ? std::optional(result) : std::nullopt;
}

nlohmann::ordered_json toJson(const Claims &claims) {
  nlohmann::ordered_json json = {{"dimension", claims.dimension},     {"nonzeros", claims.nonzeros},
                                 {"associative", claims.associative}, {"unital", claims.unital()},
                                 {"commutative", claims.commutative}, {"rank_upper", claims.rank_upper}};
  if (!claims.unital()) {
    json["left_identity"] = claims.left_identity;
    json["right_identity"] = claims.right_identity;
  }
  if (claims.center)
    json["center_dimension"] = *claims.center;
  if (claims.components.empty())
    return json;
  std::vector<int64_t> series(claims.layers.size());
  for (size_t s = series.size() - 1; s-- > 0;)
    series[s] = series[s + 1] + claims.layers[s + 1];
  json["radical_dimension"] = series[0];
  json["radical_series"] = series;
  int64_t ideals = 0;
  for (auto [component, count] : claims.components) {
    json["simple_components"].push_back(
        {{"dimension", component.dimension},
         {"center_degree", component.center},
         {"matrix_degree", orNull(component.degree)},
         {"division_dimension",
          orNull(component.degree > 0 ? component.dimension / (component.degree * component.degree) : 0)},
         {"count", count}});
    ideals += count;
  }
  json["maximal_ideals"] = ideals;
  json["alder_strassen"] = 2 * claims.dimension - ideals;
  auto [lower, rule] = lowerBound(claims, ideals);
  json["rank_lower"] = lower;
  json["rank_lower_rule"] = rule;
  return json;
}

} // namespace algebras
