// The facts of an algebra for people: label, value, and the rule or witness that it rests on.
#pragma once

#include "algebras/facts.h"

#include <string>
#include <vector>

namespace compiler {

struct FactLine {
  std::string label, value, reason; // reason may be empty
  std::string proof = {};           // the step that proves it; may be empty
};

// Unknown facts are listed as "not known", meaningless ones are left out.
std::vector<FactLine> factLines(const algebras::Facts &facts);

} // namespace compiler
