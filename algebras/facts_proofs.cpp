#include "algebras/facts_proofs.h"

#include "algebras/quiver/bound_quiver.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using Proofs = std::vector<std::pair<std::string, std::string>>;

std::string associativity(const Algebra &algebra, const Facts &facts, const Associativity &found) {
  if (facts.witness && found.modulus != 0)
    return fmt::format(
        "the witness, found modulo {}, which divides no denominator, and multiplied out exactly",
        found.modulus);
  if (facts.witness)
    return "the witness";
  if (const BoundQuiver *bound = algebra.boundQuiver())
    return bound->products() ? "every triple of slots, over the pairs of constants that meet"
                             : "by construction: paths one behind the other, modulo paths that are zero";
  if (!algebra.table())
    return algebra.isMatrixLike()
               ? "by construction: slots sit at positions of a matrix and multiply as matrix units, or vanish"
               : "by construction, from its parts";
  if (found.seconds == 0)
    return "every triple of slots, over the pairs of constants that meet";
  return fmt::format(
      "triples with {} second elements, which generate the table: the middle nucleus is a subalgebra",
      found.seconds);
}

std::string identity(const Algebra &algebra, const Facts &facts) {
  if (facts.unital.value_or(false))
    return algebra.table() ? "multiplied with every slot from both sides" : "by construction, from its parts";
  return "the equations of an identity contradict each other";
}

std::string radical(const Facts &facts, StructureSource source) {
  switch (source) {
  case StructureSource::Construction:
    return "closed form of the construction: a nilpotent ideal with a semisimple quotient";
  case StructureSource::Slots:
    return "shown by the slots: those that are no units modulo the others span a nilpotent ideal with a "
           "semisimple quotient";
  case StructureSource::LinearAlgebra:
    break;
  }
  return facts.field.isRationals() ? "the kernel of the trace form x, y -> tr L(x y), exactly (Dickson)"
                                   : "the kernels of tr L(x y)^(p^i) / p^i, i = 0, 1, ..., with integer "
                                     "lifts (Ronyai; Cohen, Ivanyos, Wales)";
}

std::string components(const Facts &facts, StructureSource source) {
  if (source == StructureSource::Construction)
    return "closed form of the construction";
  if (source == StructureSource::Slots)
    return "matrix units among the slots";
  std::string result = "idempotents of the centre of A/rad A, ";
  result += facts.field.isRationals()
                ? "from the irreducible factors of the minimal polynomial of a central element"
                : "from the factors of minimal polynomials over GF(p)";
  bool undecided = std::any_of(facts.component_kinds.begin(), facts.component_kinds.end(),
                               [](const auto &entry) { return !entry.first.matrix_degree; });
  result += undecided ? "; matrix degrees by matrix units, where they were found"
                      : "; matrix degrees by matrix units";
  bool divides = std::any_of(facts.component_kinds.begin(), facts.component_kinds.end(),
                             [](const auto &entry) { return !entry.first.division_reason.empty(); });
  return divides ? result + "; division algebras by their ramification" : result;
}

} // namespace

Proofs proofsOf(const Algebra &algebra, const Facts &facts, const std::optional<Structure> &structure,
                const Associativity &found) {
  Proofs proofs;
  proofs.emplace_back("associative", associativity(algebra, facts, found));
  proofs.emplace_back("unital", identity(algebra, facts));
  if (facts.left_identity)
    proofs.emplace_back("left_identity", "multiplied with every slot from the left");
  if (facts.right_identity)
    proofs.emplace_back("right_identity", "multiplied with every slot from the right");
  proofs.emplace_back("commutative",
                      algebra.table() ? "every pair of slots" : "by construction, from its parts");
  if (facts.center_dimension)
    proofs.emplace_back(
        "center_dimension",
        structure && structure->source == StructureSource::Construction &&
                (!algebra.boundQuiver() || algebra.isMatrixLike())
            ? "closed form of the construction"
            : "the elements that commute with a generating set, a linear system solved exactly");
  if (!structure)
    return proofs;
  proofs.emplace_back("radical_dimension", radical(facts, structure->source));
  proofs.emplace_back("radical_series", structure->source == StructureSource::Construction
                                            ? "closed form of the construction"
                                            : "products of the radical with the power before, down to zero");
  proofs.emplace_back("simple_components", components(facts, structure->source));
  proofs.emplace_back("maximal_ideals", "one for each simple component of A/rad A");
  proofs.emplace_back("alder_strassen", "2 dim A - maximal ideals (Alder and Strassen 1981, any field)");
  return proofs;
}

} // namespace algebras
