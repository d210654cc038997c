// Why a simple component is made of matrices over a division algebra (docs/certificates.md, [8]).
#pragma once

#include "algebras/structure/decomposition.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace algebras {

// Places that show the index of a component of dimension degree^2 over its centre to be a multiple of
// `index`: a real one, by a basis that is orthogonal for the trace form, or primes, each by an order that is
// maximal there. `slots` of the table span the component modulo the radical. Nothing where such places are
// not found.
std::optional<nlohmann::ordered_json> divisionPlaces(const Table &table, const std::vector<int64_t> &slots,
                                                     const SimpleComponent &component, int64_t degree,
                                                     int64_t index);

} // namespace algebras
