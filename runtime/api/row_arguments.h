// What a call's arguments say of its rows: the type of each, or its position.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/layer.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/cpu/row_source.h"

namespace algrt {

struct RowArguments {
  const DLTensor *types = nullptr;
  int64_t p0 = 0;
  const DLTensor *positions = nullptr, *sequence_starts = nullptr, *sequence_positions = nullptr;
  int64_t sequence_rows = 0;
};

// Those of any function's arguments.
template <typename Args> RowArguments rowArguments(const Args &args) {
  return {args.types,        args.p0, args.positions, args.sequence_starts, args.sequence_positions,
          args.sequence_rows};
}

// Explicit types and only they come as a tensor of types, and do not depend on positions; positions are said
// in one way. Throws Error(ALGRT_INVALID_ARGUMENT) naming the argument that is missing or too many.
void checkRowArguments(const Layer &layer, const RowArguments &rows);

// The tensors as vectors in the memory of that device, for a batch of m rows. Equal sequences whose rows have
// the types that they would have in one sequence are that. What positions and starts hold is looked at in CPU
// memory alone. Throws Error(ALGRT_INVALID_ARGUMENT) naming the tensor, what it has and
// what is needed.
RowSource readRows(const Layer &layer, const RowArguments &rows, DLDevice device, int64_t m);

// Throws if some element of `written` belongs to one of the vectors.
void requireDisjoint(const MatrixView &written, const char *written_name, int64_t written_element_bytes,
                     const RowSource &rows);

} // namespace algrt
