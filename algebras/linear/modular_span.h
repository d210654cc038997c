// A subspace over a word-sized prime field that grows by one vector at a time.
#pragma once

#include <flint/nmod_vec.h>

#include <cstdint>
#include <vector>

namespace algebras {

class ModularSpan {
public:
  using Vector = std::vector<mp_limb_t>;

  ModularSpan(uint64_t p, int64_t ambient) : rows_(ambient) { nmod_init(&mod_, p); }

  int64_t ambient() const { return static_cast<int64_t>(rows_.size()); }
  int64_t dimension() const { return dimension_; }
  bool isEverything() const { return dimension_ == ambient(); }
  const nmod_t &mod() const { return mod_; }

  // Whether the vector was outside; then it is inside now. Costs the ambient dimension for each nonzero entry
  // met.
  bool insert(Vector vector);
  // The first column that is the leading entry of no vector of the span (its unit vector lies outside); -1 if
  // everything.
  int64_t firstMissing() const;

private:
  nmod_t mod_;
  std::vector<Vector> rows_; // by leading column, leading entry 1; empty where there is none
  int64_t dimension_ = 0;
};

} // namespace algebras
