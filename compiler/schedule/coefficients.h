// Which coefficients a layer's terms have: signs are nearly free on every machine, others are not.
#pragma once

#include "algebras/lift.h"

namespace compiler {

enum class Coefficients {
  One,     ///< all are +1
  Signs,   ///< +1 and -1
  General, ///< anything else
};

/// Looks at every term, but of products at those of their factors, and of constructions whose constants are
/// all 1 at none.
Coefficients coefficientsOf(const algebras::Lift &lift);

} // namespace compiler
