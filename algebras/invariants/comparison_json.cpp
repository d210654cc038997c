#include "algebras/invariants/comparison.h"

#include <nlohmann/json.hpp>

namespace algebras {

namespace {

using nlohmann::ordered_json;

const char *verdictText(Verdict verdict) {
  switch (verdict) {
  case Verdict::NotIsomorphic:
    return "not isomorphic";
  case Verdict::Isomorphic:
    return "isomorphic";
  case Verdict::Undistinguished:
    return "not distinguished";
  }
  __builtin_unreachable();
}

} // namespace

ordered_json toOrderedJson(const Comparison &comparison, const Algebra &left, const Algebra &right) {
  ordered_json result;
  result["left"] = left.name();
  result["right"] = right.name();
  result["verdict"] = verdictText(comparison.verdict);
  result["reasons"] = comparison.reasons;
  ordered_json invariants = ordered_json::object();
  for (const ComparedInvariant &invariant : comparison.invariants)
    invariants[invariant.name] = {
        {"left", invariant.left}, {"right", invariant.right}, {"differs", invariant.differs}};
  result["invariants"] = std::move(invariants);
  result["slot_map"] = nullptr;
  if (comparison.slot_map) {
    ordered_json map = ordered_json::array();
    for (size_t slot = 0; slot < comparison.slot_map->image.size(); ++slot)
      map.push_back({slot, comparison.slot_map->image[slot], comparison.slot_map->factors[slot].toString()});
    result["slot_map"] = std::move(map);
  }
  return result;
}

} // namespace algebras
