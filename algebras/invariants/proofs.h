// Proofs that two algebras are isomorphic.
#pragma once

#include "algebras/invariants/measure.h"
#include "algebras/invariants/slot_map.h"

#include <optional>
#include <string>

namespace algebras {

struct IsomorphismProof {
  std::string reason;
  std::optional<SlotMap> slot_map;
};

// The first proof that is found; nothing proves nothing. Of algebras over one field.
std::optional<IsomorphismProof> proveIsomorphic(const Algebra &left, const Invariants &left_invariants,
                                                const Algebra &right, const Invariants &right_invariants);

// Whether two simple components are isomorphic; nothing where it is not decided.
std::optional<bool> sameComponent(const Field &field, const ComponentType &left, const ComponentType &right);

} // namespace algebras
