// Unknowns that are known to be multiples of each other.
#pragma once

#include "algebras/field.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace algebras {

// A weighted union-find: nearly linear.
class Proportions {
public:
  Proportions(const Field &field, int64_t unknowns);

  // The root of the unknown's class, and the factor with unknown = factor * root. A factor of zero means that
  // the unknown is zero.
  std::pair<int64_t, Rational> find(int64_t unknown);
  void setZero(int64_t unknown);
  // a x + b y = 0, for a and b other than zero.
  void relate(const Rational &a, int64_t x, const Rational &b, int64_t y);
  // Classes whose unknowns are not known to be zero.
  int64_t free() const { return free_; }

private:
  Field field_;
  std::vector<uint32_t> parent_;
  std::vector<Rational> factor_; // of the unknown, in its parent; 1 at a root
  std::vector<bool> zero_;       // at roots
  std::vector<uint32_t> size_, path_;
  int64_t free_;
};

} // namespace algebras
