// Alternating least squares with rounding, over Q.
#pragma once

#include "algebras/rank/bilinear_algorithm.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <random>

namespace algebras::rank {

// Looks for algorithms of a given length: from a random start in floating point each of alpha, beta and gamma
// in turn is the regularised least-squares solution for the other two. What converges is rounded: entries of
// alpha and beta are fixed at small rationals, a few at a time, the nearest first, and the rest is fitted
// again. When all are fixed, gamma is solved for exactly.
class LeastSquares {
public:
  explicit LeastSquares(const Table &table);

  // One random start. Nothing where it does not converge, cannot be rounded, or `stop` says so. What comes
  // back is exact by construction, and still to be verified like any other.
  std::optional<BilinearAlgorithm> attempt(int64_t products, std::mt19937_64 &random,
                                           const std::function<bool()> &stop) const;

private:
  struct Entry {
    int64_t index[3];
    double value;
  };
  struct Factors;

  void update(Factors &factors, int mode, double regularisation) const;
  double squaredError(const Factors &factors) const;
  bool converge(Factors &factors, std::mt19937_64 &random, const std::function<bool()> &stop) const;
  bool refit(Factors &factors, const std::function<bool()> &stop) const;
  bool round(Factors &factors, const std::function<bool()> &stop) const;
  std::optional<BilinearAlgorithm> solveExactly(const Factors &factors) const;

  const Table &table_;
  int64_t dimension_;
  double norm_ = 0;
  std::vector<Entry> entries_;
};

} // namespace algebras::rank
