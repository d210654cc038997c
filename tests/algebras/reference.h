// What the library derives in closed form, computed again by brute force: dense linear algebra modulo a large
// prime, which is exact in characteristic zero for the small integers that occur here.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <vector>

namespace reference {

inline constexpr uint64_t reference_prime = 2147483647; // 2^31 - 1

using Vector = std::vector<uint64_t>;
using Matrix = std::vector<Vector>; // rows

class Product {
public:
  // Over Q the constants are taken modulo reference_prime, over GF(p) modulo p.
  explicit Product(const algebras::Table &table);

  int64_t dimension() const { return dimension_; }
  Vector multiply(const Vector &x, const Vector &y) const;
  Vector unit(int64_t slot) const;
  bool isAssociative() const;
  bool isCommutative() const;
  bool isIdentity(const Vector &u) const;
  // Whether (b_i b_j) b_k and b_i (b_j b_k) differ at l.
  bool differs(int64_t i, int64_t j, int64_t k, int64_t l) const;
  int64_t centerDimension() const;
  // Kernel of the trace form tr(L_x L_y): the radical in characteristic zero.
  Matrix radical() const;
  // Dimensions of rad, rad^2, ..., ending with 0.
  std::vector<int64_t> radicalSeries() const;
  // Centre of A/rad: its dimension is the number of simple components when they are split.
  int64_t quotientCenterDimension() const;

private:
  uint64_t p_;
  int64_t dimension_;
  std::vector<uint64_t> c_; // dense [i][j][k]
};

Matrix kernel(Matrix rows, size_t columns, uint64_t p);
int64_t rank(Matrix rows, uint64_t p);

} // namespace reference
