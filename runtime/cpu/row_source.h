// What says which type each row of a batch has, read from tensors and checked for kind and shape.
#pragma once

#include "runtime/bundle/layer.h"

#include <cstdint>

namespace algrt {

// Whole numbers of 4 or 8 bytes each, side by side, in CPU memory or on the device of the batch.
struct IntegerVector {
  const void *data = nullptr; // null also where there are none
  int64_t size = 0;
  int64_t bytes = 4; // of an element

  // That they are the same memory.
  bool operator==(const IntegerVector &) const = default;
  // In CPU memory.
  int64_t operator[](int64_t i) const {
    return bytes == 4 ? static_cast<const int32_t *>(data)[i] : static_cast<const int64_t *>(data)[i];
  }
};

enum class RowSourceKind {
  Offset,        // row r is at position p0 + r
  Types,         // one type for each row
  Positions,     // one position for each row
  Sequences,     // rows of one sequence after another, ascending positions in each
  EqualSequences // the same where all have as many rows, and begin at position p0
};

struct RowSource {
  RowSourceKind kind = RowSourceKind::Offset;
  int64_t p0 = 0;                   // of offset and of equal sequences
  int64_t sequence_rows = 0;        // of equal sequences: rows of each
  IntegerVector types;              // of types: int32, m of them
  IntegerVector positions;          // of positions: m of them
  IntegerVector sequence_starts;    // of sequences: one more than there are, from 0 to m
  IntegerVector sequence_positions; // of sequences, where given: the position of the first row of each

  bool operator==(const RowSource &) const = default;
};

// Where the rows of each of several networks begin, experts with weights of their own, and behind the last
// one where its rows end: `count` + 1 numbers on the device of the batch.
struct ExpertStarts {
  const int32_t *data = nullptr;
  int64_t count = 0; // 0: there is one network, which has all rows
  // What these divide, where it is not the rows of the batch: `entries` of a list on the device, each one of
  // `batch_rows` rows.
  const int32_t *list = nullptr;
  int64_t entries = 0, batch_rows = 0;
  // Whether x has the rows of the batch, or one for each entry, as an earlier step has left them.
  bool x_by_list = true;

  bool operator==(const ExpertStarts &) const = default;

  // Of a product whose x has so many rows: those of its results, and those that have positions.
  int64_t resultRows(int64_t rows_of_x) const { return list == nullptr ? rows_of_x : entries; }
  int64_t placedRows(int64_t rows_of_x) const { return list == nullptr ? rows_of_x : batch_rows; }
};

// Whether such rows have to be listed for a kernel: not where there is but one type that follows from the
// position.
inline bool needsLists(const Layer &layer, RowSourceKind kind) {
  return kind == RowSourceKind::Types || (kind != RowSourceKind::Offset && layer.types > 1);
}

} // namespace algrt
