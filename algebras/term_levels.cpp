#include "algebras/term_levels.h"

#include "algebras/checked.h"
#include "algebras/constructions.h"

#include <algorithm>

namespace algebras {

namespace {

Lift liftOf(const Algebra &algebra, const Lift &like) {
  const Lift lift = like.kind() == Lift::Kind::Rows ? Lift::rows(algebra) : Lift::slots(algebra);
  return like.isTransposed() ? lift.transposed() : lift;
}

bool hasAtMost(const Lift &lift, int64_t small) {
  const auto slots = static_cast<__int128>(lift.types()) * lift.outputGroups();
  return slots <= small && slots + lift.termCount() <= small;
}

} // namespace

int64_t tableEntries(const Lift &lift) {
  if (lift.formula())
    return 0;
  const char *what = "the size of a table of terms";
  return checkedAdd(checkedMultiply(lift.types(), lift.outputGroups(), what), lift.termCount(), what);
}

std::vector<Lift> termLevels(const Lift &lift, int64_t small) {
  const std::vector<Lift> &factors = lift.factors();
  if (lift.formula() || factors.empty())
    return {lift};
  std::vector<Lift> levels; // from the last factor to the first, so that inner loops are the long ones
  for (size_t end = factors.size(); end > 0;) {
    size_t first = end - 1;
    Lift level = factors[first];
    while (first > 0 && hasAtMost(level, small) && hasAtMost(factors[first - 1], small)) {
      const Lift joined = first == 1 && end == factors.size()
                              ? lift
                              : liftOf(tensor(factors[first - 1].algebra(), level.algebra()), lift);
      if (!hasAtMost(joined, small))
        break;
      level = joined;
      --first;
    }
    levels.push_back(level);
    end = first;
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

} // namespace algebras
