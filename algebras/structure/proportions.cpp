#include "algebras/structure/proportions.h"

#include <numeric>

namespace algebras {

Proportions::Proportions(const Field &field, int64_t unknowns)
    : field_(field), parent_(unknowns), factor_(unknowns, Rational(1)), zero_(unknowns, false),
      size_(unknowns, 1), free_(unknowns) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

std::pair<int64_t, Rational> Proportions::find(int64_t unknown) {
  auto at = static_cast<uint32_t>(unknown);
  path_.clear();
  while (parent_[at] != at) {
    path_.push_back(at);
    at = parent_[at];
  }
  // From the root down: each factor becomes one in the root.
  for (size_t step = path_.size(); step-- > 0;) {
    uint32_t own = path_[step];
    if (parent_[own] != at) {
      if (!factor_[parent_[own]].isOne())
        factor_[own] = field_.multiply(factor_[own], factor_[parent_[own]]);
      parent_[own] = at;
    }
  }
  return {at, zero_[at] ? Rational() : factor_[unknown]};
}

void Proportions::setZero(int64_t unknown) {
  int64_t root = find(unknown).first;
  free_ -= !zero_[root];
  zero_[root] = true;
}

void Proportions::relate(const Rational &a, int64_t x, const Rational &b, int64_t y) {
  auto [x_root, x_factor] = find(x);
  auto [y_root, y_factor] = find(y);
  if (zero_[x_root] || zero_[y_root]) {
    setZero(x);
    setZero(y);
    return;
  }
  Rational left = field_.multiply(a, x_factor), right = field_.multiply(b, y_factor);
  if (x_root == y_root) {
    if (!field_.add(left, right).isZero())
      setZero(x);
    return;
  }
  if (size_[x_root] < size_[y_root]) {
    std::swap(x_root, y_root);
    std::swap(left, right);
  }
  // y_root = -(left / right) x_root.
  parent_[y_root] = static_cast<uint32_t>(x_root);
  factor_[y_root] = field_.reduce(-(left / right));
  size_[x_root] += size_[y_root];
  --free_;
}

} // namespace algebras
