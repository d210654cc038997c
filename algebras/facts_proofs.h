// Which step proves each fact, in words.
#pragma once

#include "algebras/facts.h"

namespace algebras {

// (key of the JSON object, step) for every fact that is known; rank bounds carry their own rules. `seconds`:
// how many second elements were enough for the associativity of a table, 0 where all were examined.
std::vector<std::pair<std::string, std::string>> proofsOf(const Algebra &algebra, const Facts &facts,
                                                          const std::optional<Structure> &structure,
                                                          std::int64_t seconds);

} // namespace algebras
