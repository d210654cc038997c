#include "compiler/tools/run_positions.h"

#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"

#include <fmt/format.h>

namespace compiler {

std::vector<int32_t> RowPositions::types(const algrt::Layer &layer, int64_t m, int64_t offset) const {
  const int64_t period = layer.types * layer.row_type_width;
  std::vector<int32_t> types;
  auto add = [&](int64_t position) {
    types.push_back(static_cast<int32_t>(position % period / layer.row_type_width));
  };
  if (positions)
    for (int64_t position : *positions)
      add(position);
  else if (sequence_starts)
    for (size_t sequence = 0; sequence + 1 < sequence_starts->size(); ++sequence)
      for (int64_t row = (*sequence_starts)[sequence]; row < (*sequence_starts)[sequence + 1]; ++row)
        add((sequence_positions ? (*sequence_positions)[sequence] : 0) +
            (row - (*sequence_starts)[sequence]));
  else if (sequence_rows > 0)
    for (int64_t row = 0; row < m; ++row)
      add(offset + row % sequence_rows);
  return types;
}

RowPositions readPositions(const algrt::Layer &layer, const PositionSources &sources, int64_t offset) {
  if ((sources.any() || sources.sequence_rows > 0) && layer.row_types == algrt::RowTypesKind::ExplicitTypes)
    throw Failure(
        "the row types of the layer are explicit and do not depend on positions: leave --positions, "
        "--sequence-starts and --sequence-rows out");
  if (!sources.positions.empty() && !sources.sequence_starts.empty())
    throw UsageError("--positions and --sequence-starts both say where the rows are: give one of them");
  if (sources.any() && sources.sequence_rows > 0)
    throw UsageError(fmt::format("--sequence-rows and {} both say where the rows are: give one of them",
                                 sources.positions.empty() ? "--sequence-starts" : "--positions"));
  if (!sources.sequence_positions.empty() && sources.sequence_starts.empty())
    throw UsageError("--sequence-positions is for a batch of sequences: give their first rows with "
                     "--sequence-starts");
  if (sources.any() && offset != 0)
    throw UsageError(fmt::format("--offset is for rows one after another: leave it out with {}",
                                 sources.positions.empty() ? "--sequence-starts" : "--positions"));
  auto read = [](const std::string &file, const char *needed) -> std::optional<std::vector<int64_t>> {
    if (file.empty())
      return std::nullopt;
    auto array = readIntegerArray(file);
    if (array.shape.size() != 1)
      throw Failure(fmt::format("{} has shape {}, needs {}", file, algrt::shapeText(array.shape), needed));
    return std::move(array.values);
  };
  RowPositions found;
  found.sequence_rows = sources.sequence_rows;
  found.positions = read(sources.positions, "(M,): one position per row");
  found.sequence_starts =
      read(sources.sequence_starts, "(S + 1,): the first row of every sequence, and the number of rows");
  found.sequence_positions =
      read(sources.sequence_positions, "(S,): the position of the first row of every sequence");
  return found;
}

} // namespace compiler
