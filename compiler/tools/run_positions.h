// Where the rows of `algctl run` are in their sequences, read from files.
#pragma once

#include "runtime/bundle/layer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct PositionSources {
  std::string positions;                           // as array_file.h reads them; empty: not given
  std::string sequence_starts, sequence_positions; // of a ragged batch
  int64_t sequence_rows = 0; // of each sequence of a batch of equal ones; 0: one sequence
  bool any() const { return !positions.empty() || !sequence_starts.empty() || !sequence_positions.empty(); }
};

// As algrt.h takes them; what they hold is checked there.
struct RowPositions {
  std::optional<std::vector<int64_t>> positions, sequence_starts, sequence_positions;
  int64_t sequence_rows = 0;
  bool any() const { return positions || sequence_starts; }

  // Type of each of m rows of a layer whose types follow from positions, where the rows are not all one after
  // another: of positions that the runtime has taken, or of sequences that begin at the offset. Empty where
  // they are.
  std::vector<int32_t> types(const algrt::Layer &layer, int64_t m, int64_t offset) const;
};

// Throws Failure naming the option that does not go with the layer or with another one, the offset included,
// and for a file of another shape than one dimension.
RowPositions readPositions(const algrt::Layer &layer, const PositionSources &sources, int64_t offset);

} // namespace compiler
