#include "algebras/linear/sparse_vector.h"

namespace algebras {

SparseVector combine(const Field &field, const Rational &a, const SparseVector &x, const Rational &b,
                     const SparseVector &y) {
  SparseVector result;
  result.reserve(x.size() + y.size());
  auto push = [&](int64_t index, const Rational &value) {
    if (Rational own = field.reduce(value); !own.isZero())
      result.emplace_back(index, std::move(own));
  };
  size_t s = 0, t = 0;
  while (s < x.size() || t < y.size()) {
    if (t == y.size() || (s < x.size() && x[s].first < y[t].first)) {
      push(x[s].first, a * x[s].second);
      ++s;
    } else if (s == x.size() || y[t].first < x[s].first) {
      push(y[t].first, b * y[t].second);
      ++t;
    } else {
      push(x[s].first, a * x[s].second + b * y[t].second);
      ++s;
      ++t;
    }
  }
  return result;
}

} // namespace algebras
