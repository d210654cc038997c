// An algebra in plain text: its multiplication table, the terms of every output slot, its positions and its
// Gabriel quiver.
#pragma once

#include "algebras/algebra.h"

#include <string>

namespace compiler {

// Long lists are cut, with a line that says how much is missing, unless `full`. InputError when `full` asks
// for more than Algebra::kExpansionLimit constants.
std::string describeText(const algebras::Algebra &algebra, bool full);

// {"name", "field", "dimension", "slots": [...], "constants": [[i,j,k,"c"], ...], "gabriel_quiver":
// {"vertices", "sizes", "arrows": [[i,j,number], ...]}|null, "quiver": {"vertices", "arrows": [[i,j],
// ...]}|null}: everything, or InputError where the table is too large to be expanded. "quiver" has the
// positions of a matrix-like algebra. Text, with a line for each entry of a list: a tree of values would take
// ten times the memory of the table.
std::string describeJson(const algebras::Algebra &algebra);

} // namespace compiler
