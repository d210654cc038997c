// One self-contained page about an algebra: facts, quiver, product table coloured by row type.
#pragma once

#include "algebras/algebra.h"
#include "algebras/facts.h"

#include <functional>
#include <optional>
#include <string>

namespace compiler {

// Makes an <svg> element of a graph in the language of Graphviz; nothing where nobody draws.
using DrawGraph = std::function<std::optional<std::string>(const std::string &dot)>;

// No script, no external resource. Tables with more than kLargestProductTable slots are shown through their
// supports, or left out with a sentence. Where nobody draws, graphs stand there as text.
std::string toHtml(const algebras::Algebra &algebra, const algebras::Facts &facts, const DrawGraph &draw);

} // namespace compiler
