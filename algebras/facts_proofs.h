// Which step proves each fact, in words.
#pragma once

#include "algebras/facts.h"

namespace algebras {

// (key of the JSON object, step) for every fact that is known; rank bounds carry their own rules. `found`:
// how a table was found to be associative or not.
std::vector<std::pair<std::string, std::string>> proofsOf(const Algebra &algebra, const Facts &facts,
                                                          const std::optional<Structure> &structure,
                                                          const Associativity &found);

} // namespace algebras
