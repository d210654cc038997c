#include "compiler/schedule/coefficients.h"

namespace compiler {

Coefficients coefficientsOf(const algebras::Lift &lift) {
  if (lift.completeGraph())
    return Coefficients::One;
  const algebras::Rational one(1), minus_one(-1);
  Coefficients kind = Coefficients::One;
  for (std::int64_t type = 0; type < lift.types(); ++type)
    for (std::int64_t group = 0; group < lift.outputGroups(); ++group)
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
