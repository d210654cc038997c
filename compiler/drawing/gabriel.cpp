#include "compiler/drawing/gabriel.h"

#include "algebras/invariants/peirce.h"

#include <fmt/format.h>

namespace compiler {

using algebras::Algebra;
using Kind = algebras::Algebra::Kind;

bool isItsOwnGabrielQuiver(const Algebra &algebra) {
  return algebra.kind() == Kind::Graph || algebra.kind() == Kind::CompleteGraph ||
         algebra.kind() == Kind::Path || algebra.kind() == Kind::Coordinates;
}

Quiver gabrielQuiverOf(const Algebra &algebra) {
  if (isItsOwnGabrielQuiver(algebra))
    return quiverOf(algebra);
  Quiver quiver;
  quiver.unlabelled = 1;
  constexpr int64_t largest_examined = int64_t{1} << 16;
  std::optional<algebras::PeirceQuiver> peirce;
  if (algebra.dimension() <= largest_examined)
    peirce = algebras::peirceQuiver(algebra);
  if (!peirce) {
    quiver.caption = fmt::format(
        "The Gabriel quiver of {} is not known: the algebra is not associative and unital, or too "
        "large, or its quotient by the radical does not split into matrices over {}, so that "
        "there is no graph to draw.",
        algebra.name(), algebra.field().name());
    return quiver;
  }
  if (peirce->vertexCount() > largest_drawing) {
    quiver.caption = fmt::format("The Gabriel quiver of {} has {} vertices; more than {} are not drawn.",
                                 algebra.name(), peirce->vertexCount(), largest_drawing);
    return quiver;
  }
  for (int64_t vertex = 0; vertex < peirce->vertexCount(); ++vertex) {
    const std::string &label = peirce->labels[vertex];
    int64_t size = peirce->sizes[vertex];
    quiver.labels.push_back(size == 1 ? label : fmt::format("{}: M({})", label, size));
    quiver.row_types.push_back(vertex);
  }
  for (const auto &[pair, count] : peirce->arrows())
    quiver.arrows.push_back({pair.first, pair.second, count});
  quiver.caption = fmt::format(
      "The Gabriel quiver of {}: vertices are the simple components of A/rad, an arrow i -> j stands for a "
      "dimension of "
      "e_i (rad/rad^2) e_j.{}",
      algebra.name(),
      peirce->isBasic()
          ? ""
          : fmt::format(" It is that of the basic algebra, of dimension {}; M(d) marks components of d x d "
                        "matrices.",
                        peirce->basicDimension()));
  if (peirce->vertexCount() > most_bent_pairs)
    quiver.caption += " A line without a head stands for both arrows.";
  return quiver;
}

} // namespace compiler
