#include "algebras/certificate/encode.h"

#include "algebras/certificate/integral.h"

#include <stdexcept>

namespace algebras {

using nlohmann::ordered_json;

ordered_json encodeInteger(const Rational &value) {
  if (std::optional<int64_t> integer = value.toInteger())
    return *integer;
  if (!value.isInteger())
    throw std::logic_error("encodeInteger: a fraction");
  return value.toString();
}

ordered_json encodeElement(const SparseVector &element) {
  if (element.size() == 1 && element[0].second.isOne())
    return element[0].first;
  auto json = ordered_json::array();
  for (const auto &[slot, coefficient] : element)
    json.push_back(ordered_json::array({slot, encodeInteger(coefficient)}));
  return json;
}

ordered_json encodeMultiple(const Field &field, const SparseVector &element) {
  return encodeElement(field.isRationals() ? integralMultiple(element) : element);
}

ordered_json encodeSlots(const std::vector<int64_t> &slots) {
  auto json = ordered_json::array();
  for (size_t first = 0, last = 0; first < slots.size(); first = last + 1) {
    for (last = first; last + 1 < slots.size() && slots[last + 1] == slots[last] + 1;)
      ++last;
    json.push_back(slots[first]);
    json.push_back(slots[last]);
  }
  return json;
}

ordered_json encodeTable(const Table &table) {
  Rational denominator = commonDenominator(table);
  ordered_json json = {{"kind", "table"}, {"dimension", table.dimension()}};
  if (!denominator.isOne())
    json["denominator"] = encodeInteger(denominator);
  ordered_json &constants = json["constants"] = ordered_json::array();
  for (const Constant &constant : table.constants())
    constants.push_back({constant.i, constant.j, constant.k, encodeInteger(constant.value * denominator)});
  return json;
}

} // namespace algebras
