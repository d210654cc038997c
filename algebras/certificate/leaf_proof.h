// The proof of one table.
#pragma once

#include "algebras/algebra.h"
#include "algebras/certificate/claims.h"
#include "algebras/table/table.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace algebras {

struct LeafProof {
  // "proof"; or "basis", another one with the proof in it, where the slots do not show the structure or are
  // dense.
  nlohmann::ordered_json json;
  Claims claims;
};

// `algebra` has this table. What cannot be proved is left out, with a line in `omissions`; std::nullopt, with
// a line too, where not even associativity or identity can be settled.
std::optional<LeafProof> proveLeaf(const Algebra &algebra, const Table &table,
                                   std::vector<std::string> &omissions);

} // namespace algebras
