// Generators of an algebra that prove associativity cheaply (docs/certificates.md, [2]).
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// Slots whose products span the algebra, modulo a prime and so over the field. Nothing where testing all
// triples of basis elements is cheap, or no few slots generate.
std::optional<std::vector<std::int64_t>> fewGenerators(const Table &table);

} // namespace algebras
