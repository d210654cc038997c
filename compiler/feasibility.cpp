#include "compiler/feasibility.h"

#include "algebras/error.h"
#include "compiler/failure.h"

#include <cmath>
#include <fmt/format.h>

namespace compiler {

/// Kernels hold coefficients in f32, where a large one would turn into infinity and a small one into zero.
static void requireFloatCoefficients(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  if (lift.kind() != algebras::Lift::Kind::Slots || lift.algebra().isMatrixLike())
    return; // ones only
  for (std::int64_t slot = 0; slot < lift.outputGroups(); ++slot)
    for (const algebras::BlockTerm &term : lift.terms(0, slot)) {
      const float value = static_cast<float>(term.coefficient.toDouble());
      if (std::isfinite(value) && value != 0)
        continue;
      std::string written = term.coefficient.toString();
      if (written.size() > 40)
        written = written.substr(0, 37) + "...";
      throw algebras::InputError(
          fmt::format("structure constant [{}, {}, {}] of {} is {}, which is too {} for f32",
                      term.input_group, term.bank_row, slot, lift.algebra().name(), written,
                      value == 0 ? "small" : "large"))
          .hint("it can be verified; to compile it, scale the basis so that the constants are moderate");
    }
}

void requireFeasible(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  const std::int64_t columns =
      lift.kind() == algebras::Lift::Kind::Slots ? layer.out.total() / layer.out.count() : layer.out.total();
  constexpr std::int64_t address_space = std::int64_t{1} << 47;
  if (columns > address_space / layer.in.total() / byteWidth(layer.dtype))
    throw Failure(
        "the bank of " + std::to_string(layer.in.total()) + " x " + std::to_string(columns) +
        " elements is larger than the memory that an x86-64 process can address; make the layer narrower");
  if (lift.completeGraph())
    return;
  // A kernel's tables have an entry for every (type, output group) and one for every term.
  constexpr std::int64_t most_entries = std::int64_t{1} << 25;
  const std::string advice =
      "; kernels read at most " + std::to_string(most_entries) + "; take a smaller algebra";
  if (lift.types() > most_entries / lift.outputGroups())
    throw Failure("the terms of " + lift.algebra().name() +
                  " are too many for a table: " + std::to_string(lift.types()) + " row types write " +
                  std::to_string(lift.outputGroups()) + " groups each" + advice);
  if (lift.termCount() > most_entries)
    throw Failure("the terms of " + lift.algebra().name() +
                  " are too many for a table: " + std::to_string(lift.termCount()) + advice);
  requireFloatCoefficients(layer);
}

} // namespace compiler
