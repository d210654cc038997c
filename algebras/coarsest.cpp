#include "algebras/coarsest.h"

#include "algebras/constructions.h"

#include <vector>

namespace algebras {

std::optional<WithoutMatrices> withoutMatrices(const Algebra &algebra) {
  using Kind = Algebra::Kind;
  if (algebra.kind() == Kind::Matrices && algebra.parameter() > 1)
    return WithoutMatrices{matrices(1, algebra.field()), algebra.parameter()};
  if (algebra.kind() != Kind::Tensor || algebra.factors().back().kind() != Kind::Matrices)
    return std::nullopt;
  const std::vector<Algebra> &factors = algebra.factors();
  Algebra rest = factors.front();
  for (size_t i = 1; i + 1 < factors.size(); ++i)
    rest = tensor(rest, factors[i]);
  return WithoutMatrices{rest, factors.back().parameter()};
}

Layer coarsest(const Layer &layer) {
  Layer coarse = layer;
  while (coarse.lift.kind() == Lift::Kind::Rows) {
    const std::optional<WithoutMatrices> less = withoutMatrices(coarse.lift.algebra());
    if (!less)
      break;
    const Lift lift = Lift::rows(less->algebra);
    coarse.lift = coarse.lift.isTransposed() ? lift.transposed() : lift;
    coarse.in = coarse.in.coarsened(less->factor);
    coarse.out = coarse.out.coarsened(less->factor);
  }
  return coarse;
}

} // namespace algebras
