// A walk in the flip graph of bilinear algorithms (Kauers and Moosbauer 2022).
#pragma once

#include "algebras/rank/search/small_field_vector.h"

#include <array>
#include <cstdint>
#include <vector>

namespace algebras::rank {

// A product a (x) b (x) c. Each vector's first nonzero entry is 1; the sign stands apart.
template <typename Vector> struct Term {
  std::array<Vector, 3> factors;
  int sign = 1;
};

// Two products that share a factor may be rewritten: a b c + a b' c' = a (b + b') c + a b' (c' - c), in any
// order of the three places. The walk flips at random; where a factor becomes zero, or two products agree in
// two factors, one product goes away. When it gets nowhere for long, two products are split into three, up to
// two products more than the best so far, or it starts again from there. Every step keeps the sum of the
// products.
//
// What happens depends on the start and the seed alone.
template <typename Vector> class FlipGraph {
public:
  using Terms = std::vector<Term<Vector>>;

  FlipGraph(Terms start, uint64_t seed);
  // Makes that many attempts at a flip. Returns whether `best` became shorter.
  bool walk(int64_t steps);
  const Terms &best() const { return best_; }

private:
  uint64_t random();
  bool flip();
  void split();
  void reduce();
  bool shrinksWith(size_t changed) const;
  bool recordBest();

  Terms terms_, best_;
  uint64_t state_;
  int64_t step_ = 0, last_progress_ = 0;
};

extern template class FlipGraph<BinaryVector>;
extern template class FlipGraph<TernaryVector>;

} // namespace algebras::rank
