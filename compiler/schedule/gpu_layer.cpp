#include "compiler/schedule/gpu_layer.h"

#include "algebras/error.h"

#include <cstdint>
#include <fmt/format.h>

namespace compiler {

void requireGpuLayer(const algebras::Layer &layer, std::string_view target) {
  using algebras::InputError;
  if (layer.dtype != algebras::DataType::BF16)
    throw InputError(fmt::format("the target {} computes on bf16, the layer is f32", target))
        .hint("give the layer dtype bf16; its result may still be f32");
  // Coordinates, group numbers, interval widths and places in the terms table are int32 in a kernel; the
  // table has a word for each slot and up to three for each term.
  constexpr int64_t most = int64_t{1} << 29;
  const algebras::Lift &lift = layer.lift;
  if (layer.in.total() > most || layer.out.total() > most || layer.row_types.period() > most ||
      lift.types() > most / lift.outputGroups() || lift.termCount() > most)
    throw InputError(
        fmt::format("the kernels of {} count in 32 bits, and the layer has sizes beyond 2^29", target))
        .hint("use the target cpu");
  // A kernel reads each term from a table that the runtime makes when it loads the bundle.
  constexpr int64_t most_terms = int64_t{1} << 25;
  if (!lift.completeGraph() && lift.termCount() > most_terms)
    throw InputError(
        fmt::format("the terms of {} are too many for the table of a kernel of {}: {}; it holds at most {}",
                    lift.algebra().name(), target, lift.termCount(), most_terms))
        .hint("use the target cpu");
}

} // namespace compiler
