// One self-contained page about an algebra: facts, quiver, product table coloured by row type.
#pragma once

#include "algebras/algebra.h"
#include "algebras/facts.h"

#include <string>

namespace compiler {

// No script, no external resource. Tables with more than kLargestProductTable slots are shown through their
// supports, or left out with a sentence.
std::string toHtml(const algebras::Algebra &algebra, const algebras::Facts &facts);

} // namespace compiler
