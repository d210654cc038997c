// Algebras as text that names no files, as the IR carries them.
#pragma once
#include "algebras/algebra.h"
#include "algebras/field.h"
#include <string>
#include <string_view>

namespace alg {

/// The expression of an algebra with graphs written out as `graph(3; 0->1, 1->2)` and tables as
/// `table(2; [0,0,0,1], [0,1,1,1], ...)`; everything else is the name that the algebra gives itself. Vertex names
/// and the name of a table are lost: they mean nothing to a product.
std::string printAlgebra(const algebras::Algebra &algebra);

/// The inverse of printAlgebra. It accepts any expression that names no file and throws algebras::InputError, with the
/// column in the text, for what it refuses.
algebras::Algebra parseAlgebra(std::string_view text, const algebras::Field &field);

} // namespace alg
