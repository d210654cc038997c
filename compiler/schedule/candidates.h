// What is looked at for a layer: schedules, and why some of them cannot be or are not worth a look.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace compiler {

/// Why a schedule is left out.
struct Refusal {
  std::string kind;   ///< "registers", "shared memory", ...: the same words for all that fail by it
  std::string reason; ///< a sentence that names what exceeds what
};

/// Nothing for what may stay.
using MaybeRefusal = std::optional<Refusal>;

inline MaybeRefusal refuse(const char *kind, std::string reason) { return Refusal{kind, std::move(reason)}; }

/// The reason; empty for what may stay.
inline std::string reasonOf(const MaybeRefusal &refusal) { return refusal ? refusal->reason : ""; }

/// A schedule that was looked at: filled in where it is a candidate.
template <class Kind> struct Considered {
  Kind schedule;
  MaybeRefusal refusal; ///< what is illegal, or not worth a look
};

template <class Kind> std::vector<Kind> candidatesOf(const std::vector<Considered<Kind>> &considered) {
  std::vector<Kind> candidates;
  for (const Considered<Kind> &one : considered)
    if (!one.refusal)
      candidates.push_back(one.schedule);
  return candidates;
}

/// The candidate of the least cost, the first one listed among equals; null where there is none.
template <class Kind, class CostOf>
const Kind *cheapest(const std::vector<Considered<Kind>> &considered, CostOf cost_of) {
  const Kind *best = nullptr;
  double least = 0;
  for (const Considered<Kind> &one : considered) {
    if (one.refusal)
      continue;
    const double cost = cost_of(one.schedule).total();
    if (!best || cost < least) {
      best = &one.schedule;
      least = cost;
    }
  }
  return best;
}

} // namespace compiler
