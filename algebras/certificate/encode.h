// Numbers and elements as certificates write them (docs/certificates.md, [1]).
#pragma once

#include "algebras/identity.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace algebras {

// A JSON integer where it fits in 64 bits, else "num/den".
nlohmann::ordered_json encodeNumber(const Rational &value);
// A slot for a basis element, else [[slot, coefficient], ...].
nlohmann::ordered_json encodeElement(const SparseVector &element);
// A list; three and more basis elements in a row as {"from": s, "to": t}.
nlohmann::ordered_json encodeElements(const std::vector<SparseVector> &elements);

} // namespace algebras
