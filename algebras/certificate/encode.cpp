#include "algebras/certificate/encode.h"

namespace algebras {

namespace {

bool isBasisElement(const SparseVector &element) { return element.size() == 1 && element[0].second.isOne(); }

} // namespace

nlohmann::ordered_json encodeNumber(const Rational &value) {
  if (std::optional<std::int64_t> integer = value.toInteger())
    return *integer;
  return value.toString();
}

nlohmann::ordered_json encodeElement(const SparseVector &element) {
  if (isBasisElement(element))
    return element[0].first;
  auto json = nlohmann::ordered_json::array();
  for (const auto &[slot, coefficient] : element)
    json.push_back(nlohmann::ordered_json::array({slot, encodeNumber(coefficient)}));
  return json;
}

nlohmann::ordered_json encodeElements(const std::vector<SparseVector> &elements) {
  auto json = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < elements.size();) {
    std::size_t end = at;
    while (end < elements.size() && isBasisElement(elements[end]) &&
           elements[end][0].first == elements[at][0].first + static_cast<std::int64_t>(end - at))
      ++end;
    if (end - at >= 3) {
      json.push_back({{"from", elements[at][0].first}, {"to", elements[end - 1][0].first}});
      at = end;
    } else {
      json.push_back(encodeElement(elements[at++]));
    }
  }
  return json;
}

} // namespace algebras
