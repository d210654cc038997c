#include "algebras/position_names.h"

#include "algebras/poset/poset.h"
#include "algebras/quiver/bound_quiver.h"

#include <algorithm>
#include <fmt/format.h>

namespace algebras {

using Kind = Algebra::Kind;

std::string positionName(const Algebra &algebra, int64_t position) {
  if (algebra.kind() == Kind::Graph)
    return algebra.graph()->vertexName(position);
  if (const algebras::Poset *poset = algebra.poset())
    return poset->elementName(position);
  if (const algebras::BoundQuiver *bound = algebra.boundQuiver())
    return bound->quiver().vertexName(bound->vertices()[position]);
  if (algebra.kind() == Kind::DirectProduct) {
    // Numbered factors, so that equal labels in two of them stay apart.
    for (size_t number = 0; number < algebra.factors().size(); ++number) {
      const Algebra &factor = algebra.factors()[number];
      if (position < factor.positions())
        return fmt::format("{}.{}", number, positionName(factor, position));
      position -= factor.positions();
    }
  }
  if (algebra.kind() != Kind::Tensor)
    return fmt::format("{}", position);
  std::string label;
  int64_t stride = algebra.positions();
  for (const Algebra &factor : algebra.factors()) {
    stride /= factor.positions();
    label += fmt::format("{}{}", label.empty() ? "" : ",", positionName(factor, position / stride));
    position %= stride;
  }
  return label;
}

bool hasNames(const Algebra &algebra) {
  if (algebra.kind() == Kind::Tensor || algebra.kind() == Kind::DirectProduct)
    return std::ranges::any_of(algebra.factors(), hasNames);
  if (algebra.boundQuiver())
    return true; // arrows have no numbers
  if (algebra.kind() != Kind::Graph && !algebra.poset())
    return false;
  for (int64_t position = 0; position < algebra.positions(); ++position)
    if (positionName(algebra, position) != fmt::format("{}", position))
      return true;
  return false;
}

std::vector<std::string> groupNames(const Lift &lift) {
  std::vector<std::string> names;
  const Algebra &algebra = lift.algebra();
  if (hasNames(algebra))
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      names.push_back(lift.kind() == Lift::Kind::Rows ? positionName(algebra, group)
                                                      : algebra.slotName(group));
  return names;
}

std::vector<std::string> typeNames(const Lift &lift) {
  std::vector<std::string> names;
  const Algebra &algebra = lift.algebra();
  if (lift.kind() == Lift::Kind::Slots || !hasNames(algebra))
    return names;
  // Types are numbered by their first members.
  for (int64_t position = 0; position < algebra.positions(); ++position)
    if (lift.typeOfRow(position) == static_cast<int64_t>(names.size()))
      names.push_back(positionName(algebra, position));
  return names;
}

} // namespace algebras
