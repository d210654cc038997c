// Numbers, elements and sets of slots as certificates write them (docs/certificates.md, [1]).
#pragma once

#include "algebras/identity.h"
#include "algebras/table/table.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace algebras {

// An integer: a JSON number where it fits in 64 bits, else a string. std::logic_error for a fraction.
nlohmann::ordered_json encodeInteger(const Rational &value);
// Of integral coefficients: a slot for a basis element, else [[slot, coefficient], ...].
nlohmann::ordered_json encodeElement(const SparseVector &element);
// The same for a positive multiple, which is integral; over GF(p) the element itself.
nlohmann::ordered_json encodeMultiple(const Field &field, const SparseVector &element);
// Ascending slots as intervals: [first, last, first, last, ...].
nlohmann::ordered_json encodeSlots(const std::vector<int64_t> &slots);
// {"kind": "table", ...}: the constants times their common denominator, which is there where it is not 1.
nlohmann::ordered_json encodeTable(const Table &table);

} // namespace algebras
