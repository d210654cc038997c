// What a simple component is, and why.
#pragma once

#include "algebras/certificate/claims.h"
#include "algebras/structure/decomposition.h"
#include "algebras/table/table.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace algebras {

struct ComponentProof {
  nlohmann::ordered_json json; // {"center", "nilpotent", "division"}, each where it is needed
  ClaimedComponent claimed;
};

// Of the component that these slots of the table span modulo the radical. Nothing where it is not shown that
// its centre is a field.
std::optional<ComponentProof> proveComponent(const Table &table, const SimpleComponent &component,
                                             const std::vector<int64_t> &slots);

} // namespace algebras
