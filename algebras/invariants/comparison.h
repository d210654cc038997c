// Whether two algebras are isomorphic, with the reason.
#pragma once

#include "algebras/invariants/measure.h"
#include "algebras/invariants/slot_map.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace algebras {

enum class Verdict { NotIsomorphic, Isomorphic, Undistinguished };

// One invariant of the two algebras, in words; "not known" where it is not.
struct ComparedInvariant {
  std::string name, left, right;
  bool differs = false; // proved: both are known
};

struct Comparison {
  Verdict verdict = Verdict::Undistinguished;
  std::vector<ComparedInvariant> invariants;
  // Of NotIsomorphic: one sentence for every invariant that differs. Of Isomorphic: the proof.
  std::vector<std::string> reasons;
  std::optional<SlotMap> slot_map; // an explicit isomorphism, where one was found that sends slots to slots
};

// Not isomorphic: some invariant differs. Isomorphic: the same construction or table, a map of slots that was
// checked on every structure constant, or a theorem whose hypotheses were computed (semisimple algebras,
// algebras with one generator, truncated path algebras). Undistinguished otherwise.
Comparison compare(const Algebra &left, const Algebra &right);

// {"verdict": "not isomorphic"|"isomorphic"|"not distinguished", "reasons": [...], "invariants": {name:
// {"left", "right", "differs"}}, "left", "right", "slot_map": [[i, j, "factor"], ...]|null}
nlohmann::ordered_json toOrderedJson(const Comparison &comparison, const Algebra &left, const Algebra &right);

} // namespace algebras
