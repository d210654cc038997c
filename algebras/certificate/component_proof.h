// What a simple component is, and why.
#pragma once

#include "algebras/certificate/claims.h"
#include "algebras/structure/decomposition.h"
#include "algebras/table/table.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace algebras {

struct ComponentProof {
  nlohmann::ordered_json
      json; // {"center", "polynomial", "irreducible", "nilpotent"}, each where it is needed
  ClaimedComponent claimed;
};

// Of a component of the algebra with this table. Nothing where it is not shown that its centre is a field.
std::optional<ComponentProof> proveComponent(const Table &table, const SimpleComponent &component);

} // namespace algebras
