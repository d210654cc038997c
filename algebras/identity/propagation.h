// The equations of an identity, solved as far as one unknown at a time goes.
#pragma once

#include "algebras/identity/linear_system.h"
#include "algebras/table/table.h"

namespace algebras {

// sum_i u_i c[i,j,k] = delta_jk for all j, k and sum_j u_j c[i,j,k] = delta_ik for all i, k: the equations
// with a term. Those without one read 0 = 0, or 0 = 1: `impossible`.
struct IdentityEquations {
  std::vector<Equation> equations;
  bool impossible = false;
};
IdentityEquations identityEquations(const Table &table);
// The first, or the second, of these alone: of a left, or a right, identity.
enum class Side { Left, Right };
IdentityEquations identityEquations(const Table &table, Side side);

struct Propagated {
  std::vector<std::optional<Rational>> values; // of each slot, where it is known
  std::vector<Equation> left;                  // equations in the other slots, known terms moved to the right
  bool contradictory = false;
};
// Linear in the number of terms.
Propagated propagate(const Field &field, int64_t unknowns, std::vector<Equation> equations);

} // namespace algebras
