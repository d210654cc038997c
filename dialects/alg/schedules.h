// Offsets of row schedules, as far as they are known.
#pragma once
#include "dialects/alg/alg.h"

namespace alg {

/// The offset of a view where it is a constant, 0 where there is none.
std::optional<int64_t> constantOffset(SlotsOp slots);

/// Whether the two views surely give every row the same type: the same schedule, from the same values.
bool haveSameSchedule(SlotsOp a, SlotsOp b);

/// An error where two of the views have constant offsets that give their rows different types.
llvm::LogicalResult verifySameOffset(mlir::Operation *op, mlir::ValueRange views);

} // namespace alg
