#include "algebras/rank/matrix_multiplication.h"

#include <fmt/format.h>

namespace algebras {

RankBound matrixRankLower(std::int64_t n) {
  std::int64_t square = n * n; // n^3 fits in 64 bits for every M(n) that exists
  RankBound best{2 * square - 1, "alder-strassen"};
  if (n >= 3 && 2 * square + n - 2 > best.products)
    best = {2 * square + n - 2, "Blaser 2003: 2n^2 + n - 2 for n >= 3, any field"};
  std::int64_t half = (5 * square + 1) / 2 - 3 * n; // rounded up
  if (half > best.products)
    best = {half, "Blaser 1999: (5/2)n^2 - 3n, any field"};
  return best;
}

RankBound matrixRankUpper(std::int64_t n) {
  std::int64_t twos = 0, threes = 0, rest = n;
  for (; rest % 2 == 0; rest /= 2)
    ++twos;
  for (; rest % 3 == 0; rest /= 3)
    ++threes;
  if (twos == 0 && threes == 0)
    return {n * n * n, n == 1 ? "one product" : "the definition: n^3"};
  std::int64_t products = rest * rest * rest;
  std::string rule;
  for (std::int64_t step = 0; step < twos; ++step)
    products *= 7;
  for (std::int64_t step = 0; step < threes; ++step)
    products *= 23;
  if (twos > 0)
    rule += fmt::format("Strassen: 7 for 2x2{}", twos > 1 ? fmt::format(", {} levels", twos) : "");
  if (threes > 0)
    rule += fmt::format("{}Laderman: 23 for 3x3{}", rule.empty() ? "" : "; ",
                        threes > 1 ? fmt::format(", {} levels", threes) : "");
  if (rest > 1)
    rule += fmt::format("; {0}^3 for {0}x{0}", rest);
  return {products, rule};
}

} // namespace algebras
