#include "algebras/rank/lower_bounds.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

struct Gain {
  int64_t products = 0; // beyond 2 dim S - 1
  std::string rule;
};

// Of a single simple factor.
Gain gainOf(const Field &field, const SimpleFactor &factor) {
  if (factor.dimension == 1)
    return {};
  bool commutative = factor.dimension == factor.center_dimension;
  if (commutative) {
    // A field of m dimensions over GF(q) has rank 2 m - 1 only for q >= 2 m - 2.
    if (!field.isRationals() && factor.dimension >= 3 &&
        field.characteristic() < static_cast<uint64_t>(2 * factor.dimension - 2))
      return {1, "de Groote 1983: a field of m dimensions has rank 2m - 1 over GF(q) only for q >= 2m - 2"};
    return {};
  }
  bool quaternion_like = factor.dimension == 4 && factor.center_dimension == 1;
  if (factor.matrix_degree && *factor.matrix_degree * *factor.matrix_degree == factor.dimension) {
    RankBound own = matrixRankLower(*factor.matrix_degree);
    return {own.products - (2 * factor.dimension - 1), own.rule};
  }
  if (factor.matrix_degree == 1)
    return {1, "a division algebra of rank 2n - 1 is commutative (de Groote 1983)"};
  if (factor.matrix_degree || !quaternion_like)
    return {1, "Blaser 2005: M_2(k) is the only noncommutative simple algebra of minimal rank"};
  return {};
}

} // namespace

std::optional<RankBound> rankLower(const Field &field, int64_t dimension,
                                   const std::map<SimpleFactor, int64_t> &factors,
                                   const std::string &obstruction) {
  __int128 ideals = 0, halves = 0; // halves: twice the gain of Blaser's bound for all factors together
  Gain best;
  for (const auto &[factor, count] : factors) {
    ideals += count;
    Gain own = gainOf(field, factor);
    if (own.products > best.products)
      best = own;
    if (factor.matrix_degree && *factor.matrix_degree >= 2)
      halves +=
          std::max<__int128>(0, factor.dimension - 6 * static_cast<__int128>(*factor.matrix_degree) + 2) *
          count;
  }
  bool alone =
      factors.size() == 1 && factors.begin()->second == 1 && factors.begin()->first.dimension == dimension;
  if (best.products > 0 && !alone)
    best.rule =
        fmt::format("Alder-Strassen, with one simple factor of rank {} more: {}", best.products, best.rule);
  if ((halves + 1) / 2 > best.products)
    best = {static_cast<int64_t>((halves + 1) / 2),
            "Alder-Strassen, with Blaser 2000 for the matrix factors: (5/2) dim - 3 (n_1 + ... + n_t)"};
  if (best.products < 1 && !obstruction.empty())
    best = {1, obstruction};
  __int128 total = 2 * static_cast<__int128>(dimension) - ideals + best.products;
  if (total > INT64_MAX)
    return std::nullopt;
  return RankBound{static_cast<int64_t>(total), best.products > 0 ? best.rule : "alder-strassen"};
}

} // namespace algebras
