// Writes the tile kernel of the weight matrix's gradient.
#pragma once

#include "compiler/schedule/cpu_gradient_schedule.h"
#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// dW = X^T (times) dY, plus beta times what dW was: the contraction of a layout of mode j, for CPU threads.
/// `element` is the type of X and dY in memory, `result` that of dW. Goes where `builder` stands.
///
/// A worker owns a tile of one block of dW and keeps its sums near while it goes through the rows of the
/// block's terms, some at a time: those of X that the tile needs are brought once, those of dY panel by
/// panel.
tile::KernelOp writeWeightGradient(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                   tile::LayoutAttr layout, const CpuGradientSchedule &schedule,
                                   mlir::Type element, mlir::Type result);

} // namespace compiler
