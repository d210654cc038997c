// Linear equations with at most one solution, solved exactly.
#pragma once

#include "algebras/field.h"
#include "algebras/rational.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace algebras {

struct Equation {
  std::vector<std::pair<int64_t, Rational>> terms; // unknown, coefficient
  Rational right;
};

// The solution of a system that is known to have exactly one if it has any; nothing when it has none. Both
// answers are proved: over Q a large prime only chooses which equations are solved exactly. Dense in the
// unknowns.
std::optional<std::vector<Rational>> solveUnique(const Field &field, int64_t unknowns,
                                                 const std::vector<Equation> &equations);

} // namespace algebras
