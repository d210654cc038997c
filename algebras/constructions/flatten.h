// Nested products of the same kind as one list of factors: the numbering is the same.
#pragma once

#include "algebras/algebra.h"

namespace algebras::detail {

// The factors of left and right, each taken apart when it is itself of `kind`. InputError when fields differ.
std::vector<Algebra> flatten(Algebra::Kind kind, const Algebra &left, const Algebra &right);

} // namespace algebras::detail
