#include "compiler/pipeline/feasibility.h"

#include "algebras/checked.h"
#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "algebras/term_levels.h"
#include "compiler/bundle/layer_description.h"
#include "compiler/process/failure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace compiler {

namespace {

/// A term of a slot, and the slot.
struct PlacedTerm {
  algebras::BlockTerm term;
  int64_t slot = 0;
};

} // namespace

/// The term with the coefficient of the least magnitude, or of the greatest; nothing where there is none.
/// Those of a product are the products of those of its factors.
static std::optional<PlacedTerm> extremeTerm(const algebras::Lift &lift, bool greatest) {
  std::optional<PlacedTerm> found;
  if (!lift.factors().empty()) {
    found = PlacedTerm{{0, 0, algebras::Rational(1)}, 0};
    for (const algebras::Lift &factor : lift.factors()) {
      const std::optional<PlacedTerm> own = extremeTerm(factor, greatest);
      if (!own)
        return std::nullopt;
      found->term = {found->term.input_group * factor.inputGroups() + own->term.input_group,
                     found->term.weight_row * factor.weightRows() + own->term.weight_row,
                     found->term.coefficient * own->term.coefficient};
      found->slot = found->slot * factor.outputGroups() + own->slot;
    }
    return found;
  }
  double extreme = 0;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const algebras::BlockTerm &term : lift.terms(type, group)) {
        const double magnitude = std::abs(term.coefficient.toDouble());
        if (found && (greatest ? magnitude <= extreme : magnitude >= extreme))
          continue;
        extreme = magnitude;
        found = PlacedTerm{term, group};
      }
  return found;
}

/// Kernels hold coefficients in f32, where a large one would turn into infinity and a small one into zero.
static void requireFloatCoefficients(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  const bool rows = lift.kind() == algebras::Lift::Kind::Rows;
  if (lift.algebra().isMatrixLike() || (rows && lift.algebra().hasConstantsOne()))
    return; // ones only
  for (const bool greatest : {true, false}) {
    const std::optional<PlacedTerm> extreme = extremeTerm(lift, greatest);
    if (!extreme)
      return;
    const algebras::BlockTerm &term = extreme->term;
    const float value = static_cast<float>(term.coefficient.toDouble());
    if (std::isfinite(value) && value != 0)
      continue;
    std::string written = term.coefficient.toString();
    if (written.size() > 40)
      written = written.substr(0, 37) + "...";
    // In the row lift groups are columns of positions, and no slots.
    const std::string which = rows ? "a structure constant"
                                   : fmt::format("structure constant [{}, {}, {}]", term.input_group,
                                                 term.weight_row, extreme->slot);
    throw algebras::InputError(fmt::format("{} of {} is {}, which is too {} for f32", which,
                                           lift.algebra().name(), written, value == 0 ? "small" : "large"))
        .hint("it can be verified; to compile it, scale the basis so that the constants are moderate");
  }
}

/// What the kernels' tables hold: those of the CPU are made once matrix factors have been taken out.
static int64_t kernelEntries(const algebras::Layer &layer) {
  int64_t entries = 0;
  for (const algebras::Lift &level : algebras::termLevels(algebras::coarsest(layer).lift))
    entries = algebras::checkedAdd(entries, algebras::tableEntries(level), "the size of the tables of terms");
  return entries;
}

void requireFeasible(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  const int64_t columns =
      lift.kind() == algebras::Lift::Kind::Slots ? layer.out.total() / layer.out.count() : layer.out.total();
  constexpr int64_t address_space = int64_t{1} << 47;
  if (columns > address_space / layer.in.total() / byteWidth(layer.dtype))
    throw algebras::InputError(
        "the weight matrix of " + std::to_string(layer.in.total()) + " x " + std::to_string(columns) +
        " elements is larger than the memory that an x86-64 process can address; make the layer narrower");
  constexpr int64_t most_entries = int64_t{1} << 25;
  constexpr int64_t most_groups = int64_t{1} << 24; // that the runtime reads
  if (lift.outputGroups() > most_groups)
    throw algebras::InputError(
        fmt::format("{} has {} groups; kernels know at most {}; take a smaller algebra",
                    lift.algebra().name(), lift.outputGroups(), most_groups));
  // Tables have an entry for every (type, output group) and one for every term. What follows from a formula,
  // or from the tables of a product's factors, is not stored.
  const int64_t entries = std::max(kernelEntries(layer), supportEntries(lift));
  if (entries > most_entries)
    throw algebras::InputError(
        fmt::format("the terms of {} are too many for a table: its tables would have {} entries; kernels "
                    "read at most {}; take a smaller algebra",
                    lift.algebra().name(), entries, most_entries));
  requireFloatCoefficients(layer);
}

void requireFeasible(const KernelSource &source) {
  try {
    requireFeasible(source.layer);
  } catch (const algebras::InputError &error) {
    if (error.where() || source.where || !source.described)
      throw;
    throw algebras::InputError(error.what(), *source.described).hint(error.hint());
  }
}

} // namespace compiler
