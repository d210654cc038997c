#include "runtime/api/row_arguments.h"

#include "runtime/api/arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/row_types.h"

namespace algrt {

void checkRowArguments(const Layer &layer, const RowArguments &rows) {
  const bool explicit_types = layer.row_types == RowTypesKind::ExplicitTypes;
  if (explicit_types && rows.types == nullptr)
    refuse("types is null: the layer's row types are explicit, pass an int32 tensor with one type per row");
  if (!explicit_types && rows.types != nullptr)
    refuse(std::string("types is given, but the layer's row types are ") + name(layer.row_types) +
           " and follow from the position: pass p0, positions or sequence_starts");
  if (explicit_types && rows.p0 != 0)
    refuse("p0 is " + std::to_string(rows.p0) + ", needs 0: explicit types do not depend on the position");

  const struct {
    const DLTensor *tensor;
    const char *name;
  } tensors[] = {{rows.positions, "positions"},
                 {rows.sequence_starts, "sequence_starts"},
                 {rows.sequence_positions, "sequence_positions"}};
  for (const auto &[tensor, name] : tensors) {
    if (tensor == nullptr)
      continue;
    if (explicit_types)
      refuse(
          std::string(name) +
          " is given, but the layer's row types are explicit and do not depend on the position: pass NULL");
    if (rows.p0 != 0)
      refuse("p0 is " + std::to_string(rows.p0) + ", needs 0 where " + name + " is given");
  }
  if (rows.sequence_rows < 0)
    refuse("sequence_rows is " + std::to_string(rows.sequence_rows) + ", needs 0 (one sequence) or more");
  if (rows.sequence_rows > 0 && explicit_types)
    refuse("sequence_rows is " + std::to_string(rows.sequence_rows) +
           ", but the layer's row types are explicit and do not depend on the position: pass 0");
  if (rows.sequence_rows > 0 && (rows.positions != nullptr || rows.sequence_starts != nullptr))
    refuse("sequence_rows is " + std::to_string(rows.sequence_rows) + ", needs 0 where " +
           (rows.positions != nullptr ? "positions" : "sequence_starts") + " is given");
  if (rows.positions != nullptr && rows.sequence_starts != nullptr)
    refuse("positions and sequence_starts are both given: pass one of them");
  if (rows.sequence_positions != nullptr && rows.sequence_starts == nullptr)
    refuse("sequence_positions is given, but sequence_starts is null: it says which rows belong to which "
           "sequence");
}

namespace {

// One sequence after another, each of whole periods or the only one, is one: types repeat after a period.
bool isOneSequence(const Layer &layer, int64_t sequence_rows, int64_t m) {
  return sequence_rows == 0 || sequence_rows >= m || layer.types == 1 ||
         (sequence_rows % layer.types == 0 && sequence_rows / layer.types % layer.row_type_width == 0);
}

RowSource readVectors(const Layer &layer, const RowArguments &rows, DLDevice device, int64_t m) {
  RowSource source;
  source.p0 = rows.p0;
  if (rows.sequence_rows > 0 && m % rows.sequence_rows != 0)
    refuse("sequence_rows is " + std::to_string(rows.sequence_rows) + ": " + std::to_string(m) +
           " rows are no whole number of such sequences");
  if (!isOneSequence(layer, rows.sequence_rows, m)) {
    source.kind = RowSourceKind::EqualSequences;
    source.sequence_rows = rows.sequence_rows;
    return source;
  }
  if (rows.types != nullptr) {
    source.kind = RowSourceKind::Types;
    source.types = readIntegers(rows.types, "types", device, IntegerTypes::Int32, m, "one type per row");
  }
  if (rows.positions != nullptr) {
    source.kind = RowSourceKind::Positions;
    source.positions = readIntegers(rows.positions, "positions", device, IntegerTypes::Int32OrInt64, m,
                                    "one position per row");
  }
  if (rows.sequence_starts == nullptr)
    return source;
  source.kind = RowSourceKind::Sequences;
  source.sequence_starts =
      readIntegers(rows.sequence_starts, "sequence_starts", device, IntegerTypes::Int32OrInt64, any_size,
                   "the first row of every sequence, and the number of rows");
  const int64_t sequences = source.sequence_starts.size - 1;
  if (sequences < 0)
    refuse("sequence_starts: is empty, needs at least one number: the first row of every sequence, and the "
           "number of rows");
  if (rows.sequence_positions == nullptr)
    return source;
  source.sequence_positions =
      readIntegers(rows.sequence_positions, "sequence_positions", device, IntegerTypes::Int32OrInt64,
                   sequences, "the position of the first row of every sequence");
  if (source.sequence_positions.bytes != source.sequence_starts.bytes)
    refuse("sequence_positions: is of type int" + std::to_string(8 * source.sequence_positions.bytes) +
           ", needs int" + std::to_string(8 * source.sequence_starts.bytes) + " as sequence_starts is");
  return source;
}

} // namespace

RowSource readRows(const Layer &layer, const RowArguments &rows, DLDevice device, int64_t m) {
  const RowSource source = readVectors(layer, rows, device, m);
  if (device.device_type == kDLCPU || source.kind == RowSourceKind::EqualSequences)
    checkRows(source, m);
  return source;
}

void requireDisjoint(const MatrixView &written, const char *written_name, int64_t written_element_bytes,
                     const RowSource &rows) {
  const struct {
    const IntegerVector &vector;
    const char *name;
  } vectors[] = {{rows.types, "types"},
                 {rows.positions, "positions"},
                 {rows.sequence_starts, "sequence_starts"},
                 {rows.sequence_positions, "sequence_positions"}};
  for (const auto &[vector, name] : vectors) {
    const MatrixView read{const_cast<void *>(vector.data), vector.size == 0 ? 0 : 1, vector.size,
                          vector.size};
    requireDisjoint(written, written_name, written_element_bytes, read, name, vector.bytes);
  }
}

} // namespace algrt
