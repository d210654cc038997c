// Generators of an algebra and words in them, which prove associativity cheaply (docs/certificates.md, [2]).
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace algebras {

// The words are a basis of the algebra, modulo a prime and so over the field: first the generators, then each
// entry {w, g} for the product of the w-th word by the g-th generator.
struct Words {
  std::vector<std::int64_t> generators; // slots
  std::vector<std::pair<std::int64_t, std::int64_t>> products;
};

// Nothing where testing all triples of basis elements is cheap, or no few slots generate.
std::optional<Words> findWords(const Table &table);

} // namespace algebras
