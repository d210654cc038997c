// What a compiled GPU kernel takes, as data: a list that the compiler writes where it lays out the
// parameters, that the manifest carries and the code's record covers, and that whoever launches interprets:
// runtime, simulator and C launcher. What maps, tables and lists contain is in runtime/gpu_kernel_abi.h.
#pragma once

#include "runtime/bundle/layer.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

class JsonFields;

// How a parameter lies in memory, little-endian: 128 bytes at a multiple of 64, 72 at one of 8, and numbers
// at multiples of their 4 or 8 bytes.
enum class ParameterType { TensorMap, PlainMap, Address, I32, I64, F32 };

// What a parameter tells the kernel. Addresses are on the device.
enum class ParameterValue {
  // Of products:
  Map,          // tensor_map or plain_map: a view of an operand
  Operand,      // address: of an operand's first element; 0 where the call has none
  ElementBytes, // i32: of one element of an operand of whole numbers, 4 or 8
  Number,       // f32: an operand that is one number
  Rows,         // i32: M, rows of the batch
  Offset,    // i32: the absolute position of row 0 modulo the period of the row types; of group_rows: of the
             // first
             // row of each of equal sequences
  Terms,     // address: of the terms table, 0 where the layer's support is complete
  Beta,      // f32: what a result that is added to holds counts so often
  Experts,   // i32: whose rows begin where the operand expert_starts says
  BatchRows, // i32: of the batch, where the operand expert_rows lists those of experts
  // Of group_rows, which also has `rows` and `offset`:
  RowList,   // address: of the list that it makes, types + 2 + rows numbers; of experts each has types
  RowSource, // address: the type of every row (i32), its position, or the first rows of sequences and the
             // number of rows; 0 of equal sequences
  FirstPositions, // address: the positions of the sequences' first rows, or 0 where all are 0
  TypeWidth,      // i64: rows of one type one after another; of given types it means nothing
  Types,          // i32: row types
  RowSourceForm,  // i32: algrt_rows_of_types, _positions, _sequences or _equal_sequences, with
                  // algrt_rows_of_wide where the numbers of row_source and first_positions are i64, not i32
  Sequences,      // i32: at least 1 where there are rows; of equal ones the rows of each
  RowListOfX,     // address: of a second list, with the rows of the batch in the place of entries of
                  // expert_rows; 0 where one will do
  // Of element-wise functions, which also have `operand`, `number` and `rows`:
  Columns,       // i32: of the domain
  OperandStride, // i64: from one row of an operand to the next, in its elements
};

// Which rows of an operand a map shows, and how (runtime/gpu_kernel_abi.h, "rows of X and Y").
enum class ViewKind {
  Weights,         // the weight matrix, or its gradient: column, group, depth, row group
  LongerSegments,  // cyclic types: the segments that have a row more than the others
  ShorterSegments, // cyclic types: the others
  FirstRun,        // interval types: the run that row 0 is in the midst of
  WholeRuns,       // interval types: those of all their rows
  LastRun,         // interval types: the rows that are left
  LongerJoined,    // joined runs: the types that have a run more than the others
  ShorterJoined,   // joined runs: the other types
  ListedRows,      // of each type those of a row list
  AllRows,         // all as they lie
};

const char *name(ParameterType type);
const char *name(ParameterValue value);
const char *name(ViewKind view);

int64_t parameterBytes(ParameterType type);
int64_t parameterAlignment(ParameterType type);

struct KernelParameter {
  ParameterValue value;
  ParameterType type;
  int64_t offset;           // bytes from the first parameter on
  std::string operand = {}; // of the values map, operand, element_bytes, number and operand_stride: its name,
                            // "x", "w", "bias", ...
  ViewKind view = ViewKind::Weights; // of the value map

  int64_t end() const { return offset + parameterBytes(type); }
  bool isMap() const { return value == ParameterValue::Map; }
  bool operator==(const KernelParameter &) const = default;
};

// In the order of their offsets, each where C would put it. Maps follow one another: together they are one
// parameter of the kernel, a struct that is passed by value; every other entry is one.
class KernelParameters {
public:
  // Behind those that are there.
  KernelParameters &map(ParameterType type, std::string operand, ViewKind view);
  // Of the type that the value has.
  KernelParameters &add(ParameterValue value, std::string operand = "");

  // Reads the list `key` of an entry. Throws Error(ALGRT_BAD_BUNDLE) naming the parameter for unknown names,
  // types that the value does not have, overlaps, gaps, wrong sizes, and what is there twice.
  static KernelParameters parse(const JsonFields &fields, const char *key);
  nlohmann::ordered_json json() const;

  const std::vector<KernelParameter> &all() const { return parameters_; }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }
  bool empty() const { return parameters_.empty(); }
  int64_t bytes() const { return parameters_.empty() ? 0 : parameters_.back().end(); }
  // nullptr where there is none.
  const KernelParameter *find(ParameterValue value, std::string_view operand = "") const;
  // For the record in the code (runtime/kernel_record.h): of their number, and of each the names of value,
  // type, operand and view, and the offset.
  uint64_t hash() const;

  bool operator==(const KernelParameters &) const = default;

private:
  void append(KernelParameter parameter);
  std::vector<KernelParameter> parameters_;
};

// Bytes of all parameters that every device takes.
inline constexpr int64_t most_parameter_bytes = 4096;

// How a kernel finds the rows of one type.
enum class RowAccess {
  Segments,   // phases of cyclic types, runs of interval types
  JoinedRuns, // interval types: all whole runs of a type as one segment
  Listed,     // where a row list says
  AsTheyLie,  // not at all: it takes rows in their order
};

// The views of an operand that has rows, in the order of their row segments.
std::vector<ViewKind> rowViews(RowTypesKind row_types, RowAccess access);

} // namespace algrt
