// Which operands a kernel can be given: what tensor maps and the copies of threads demand of addresses and
// strides.
#pragma once

#include "runtime/cuda/operand_view.h"
#include "runtime/support/error.h"

#include <optional>
#include <string>

namespace algrt::cuda {

// Why a kernel cannot be given an operand: numbers, put into words only where somebody reads them, so that
// trying one kernel after another costs no strings.
struct OperandObstacle {
  enum class Kind {
    Address,      // not a multiple of what is moved at a time
    RowDistance,  // the same for the distance of rows
    FarRows,      // rows further apart than a tensor map can step
    GroupWidth,   // not a multiple of the elements that threads move at a time
    GroupGranule, // the same where groups have unequal widths
    Stride,       // a step between groups, runs or row groups that a tensor map cannot take
    Extent        // more columns, groups or rows than a coordinate can count
  };
  Kind kind;
  std::string operand; // "x"
  GpuCopies copies;
  int64_t unit_bytes, element_bytes; // what is moved at a time, and an element
  int64_t value;                     // the extent or stride in question, in elements

  // ALGRT_INVALID_ARGUMENT where other operands of the same layer would do, otherwise ALGRT_UNSUPPORTED.
  algrt_status status() const;
  // A sentence that says what to change: "x: starts at an address that ...".
  std::string text() const;
};

// Nothing where the kernel can be given the operands, whose views of rows are those of `m` rows from `offset`
// of the period on.
std::optional<OperandObstacle> findObstacle(const Layer &layer, const GpuKernel &kernel,
                                            const Operands &operands, const OperandViews &views, int64_t m,
                                            int64_t offset);

// What the addresses of an operand that a kernel has maps of, or writes, and the distances of its rows are
// multiples of.
struct OperandUnit {
  int64_t bytes;
  bool by_engine; // tensor maps show it: distances are below 2^40 bytes, too, also that of a single row
};
OperandUnit unitOf(const Layer &layer, const GpuKernel &kernel, const std::string &operand);

} // namespace algrt::cuda
