#include "compiler/schedule/coefficients.h"

namespace compiler {

Coefficients coefficientsOf(const algebras::Lift &lift) {
  // Those of algebras whose slots sit at positions of a matrix are 1 in both lifts.
  if (lift.algebra().isMatrixLike())
    return Coefficients::One;
  bool has_signs = false, has_others = false;
  for (const algebras::Lift &factor : lift.factors()) {
    const Coefficients own = coefficientsOf(factor);
    has_signs |= own == Coefficients::Signs;
    has_others |= own == Coefficients::General;
  }
  // A product of signs is a sign; of others one term or another tells.
  if (!lift.factors().empty() && !has_others)
    return has_signs ? Coefficients::Signs : Coefficients::One;
  const algebras::Rational one(1), minus_one(-1);
  Coefficients kind = Coefficients::One;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const algebras::BlockTerm &term : lift.terms(type, group)) {
        if (term.coefficient == one)
          continue;
        if (term.coefficient != minus_one)
          return Coefficients::General;
        kind = Coefficients::Signs;
      }
  return kind;
}

} // namespace compiler
