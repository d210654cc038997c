#include "runtime/cpu/row_types.h"

#include "runtime/support/error.h"

#include <algorithm>

namespace algrt {

int64_t longestType(const Layer &layer, int64_t m, int64_t p0) {
  if (m > 0 && p0 > INT64_MAX - (m - 1))
    throw Error(ALGRT_INVALID_ARGUMENT, "p0 is " + std::to_string(p0) + ": the position of the last of " +
                                            std::to_string(m) + " rows does not fit 64 bits");
  const int64_t width = layer.row_type_width;
  const int64_t period = layer.types * width;
  // Positions below p that are of type t. Behind the largest position p does not fit a signed number.
  const auto below = [&](uint64_t p, int64_t t) {
    return p / uint64_t(period) * uint64_t(width) +
           uint64_t(std::clamp<int64_t>(int64_t(p % uint64_t(period)) - t * width, 0, width));
  };
  int64_t longest = 0;
  for (int64_t t = 0; t < layer.types; ++t)
    longest = std::max(longest, int64_t(below(uint64_t(p0) + uint64_t(m), t) - below(uint64_t(p0), t)));
  return longest;
}

namespace {

[[noreturn]] void refuse(const char *name, int64_t index, int64_t value, const std::string &needed) {
  throw Error(ALGRT_INVALID_ARGUMENT, std::string(name) + ": element " + std::to_string(index) + " is " +
                                          std::to_string(value) + ", needs " + needed);
}

void requireNotNegative(const IntegerVector &vector, const char *name) {
  for (int64_t i = 0; i < vector.size; ++i)
    if (vector[i] < 0)
      refuse(name, i, vector[i], "0 or more");
}

} // namespace

void checkRows(const RowSource &source, int64_t m) {
  if (source.kind == RowSourceKind::Positions)
    requireNotNegative(source.positions, "positions");
  if (source.kind == RowSourceKind::EqualSequences && source.p0 > INT64_MAX - (source.sequence_rows - 1))
    throw Error(ALGRT_INVALID_ARGUMENT,
                "p0 is " + std::to_string(source.p0) + ": the position of the last of " +
                    std::to_string(source.sequence_rows) + " rows of a sequence does not fit 64 bits");
  if (source.kind != RowSourceKind::Sequences)
    return;
  constexpr const char *name = "sequence_starts";
  const IntegerVector &starts = source.sequence_starts;
  const int64_t sequences = starts.size - 1;
  if (starts[0] != 0)
    refuse(name, 0, starts[0], "0: the first sequence begins with the first row");
  for (int64_t s = 0; s < sequences; ++s)
    if (starts[s + 1] < starts[s])
      refuse(name, s + 1, starts[s + 1],
             std::to_string(starts[s]) + " or more: starts ascend, and the one before is that");
  if (starts[sequences] != m)
    refuse(name, sequences, starts[sequences],
           std::to_string(m) + ": the last sequence ends with the last row");
  const IntegerVector &positions = source.sequence_positions;
  requireNotNegative(positions, "sequence_positions");
  for (int64_t s = 0; s < positions.size; ++s)
    if (const int64_t rows = starts[s + 1] - starts[s]; rows > 0 && positions[s] > INT64_MAX - (rows - 1))
      refuse("sequence_positions", s, positions[s],
             "less: the last of the sequence's " + std::to_string(rows) +
                 " rows has a position that does not fit 64 bits");
}

void typesOfRows(const Layer &layer, const RowSource &source, int64_t m, int32_t *types) {
  const int64_t width = layer.row_type_width, period = layer.types * width;
  if (source.kind == RowSourceKind::Positions) {
    for (int64_t row = 0; row < m; ++row)
      types[row] = int32_t(source.positions[row] % period / width);
    return;
  }
  const auto sequence = [&](int64_t first_row, int64_t end, int64_t position) {
    int64_t in_period = position % period, type = in_period / width, in_run = in_period % width;
    for (int64_t row = first_row; row < end; ++row) {
      types[row] = int32_t(type);
      if (++in_run == width) {
        in_run = 0;
        type = type + 1 == layer.types ? 0 : type + 1;
      }
    }
  };
  if (source.kind == RowSourceKind::EqualSequences)
    for (int64_t row = 0; row < m; row += source.sequence_rows)
      sequence(row, row + source.sequence_rows, source.p0);
  for (int64_t s = 0; s + 1 < source.sequence_starts.size; ++s)
    sequence(source.sequence_starts[s], source.sequence_starts[s + 1],
             source.sequence_positions.size > 0 ? source.sequence_positions[s] : 0);
}

int64_t sortRowsByType(const Layer &layer, const int32_t *types, int64_t m, int64_t *rows, int64_t *starts) {
  std::fill(starts, starts + layer.types + 1, int64_t(0));
  for (int64_t row = 0; row < m; ++row) {
    if (types[row] < 0 || types[row] >= layer.types)
      throw Error(ALGRT_INVALID_ARGUMENT, "types: row " + std::to_string(row) + " has type " +
                                              std::to_string(types[row]) + ", the layer's types are 0 to " +
                                              std::to_string(layer.types - 1));
    ++starts[types[row] + 1];
  }
  const int64_t longest = *std::max_element(starts + 1, starts + layer.types + 1);
  for (int64_t t = 0; t < layer.types; ++t)
    starts[t + 1] += starts[t];
  // starts[t] serves as the next free place of type t, and ends where type t + 1 begins.
  for (int64_t row = 0; row < m; ++row)
    rows[starts[types[row]]++] = row;
  for (int64_t t = layer.types; t > 0; --t)
    starts[t] = starts[t - 1];
  starts[0] = 0;
  return longest;
}

} // namespace algrt
