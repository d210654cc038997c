// Isomorphisms that send every slot to a multiple of a slot.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// b_s -> factors[s] * b_image[s].
struct SlotMap {
  std::vector<int64_t> image;
  std::vector<Rational> factors; // not zero
};

// Whether the map is an isomorphism of the two products: a bijection that carries every structure constant
// over.
bool isIsomorphism(const Table &left, const Table &right, const SlotMap &map);

// A permutation of slots, or failing that one with factors. What is returned is checked; nothing proves
// nothing.
std::optional<SlotMap> findSlotMap(const Table &left, const Table &right);

} // namespace algebras
