// The elements behind the facts as JSON: bases of the radical and of the centre, idempotents, matrix units.
#pragma once

#include "algebras/algebra.h"
#include "algebras/facts.h"

#include <nlohmann/json_fwd.hpp>

namespace algebras {

// {"center": [...], "radical": [...], "radical_powers": [[...], ...], "components": [{"idempotent",
// "center_generator", "center_polynomial", "matrix_degree", "matrix_units"}], "primitive_idempotents":
// [...]}. A vector is a list of [slot, "coefficient"]; elements of components hold modulo the radical,
// primitive idempotents exactly (null where some component is not known to split). `facts` are those of the
// algebra. Null when it is not associative and unital, or too large.
nlohmann::ordered_json basesJson(const Algebra &algebra, const Facts &facts);

} // namespace algebras
