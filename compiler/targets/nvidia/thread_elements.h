// The elements of sums that single threads hold (sm.accumulator with threads).
#pragma once

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

namespace compiler {

struct ElementOfThread {
  mlir::Value number, row, column; ///< within the sums
  mlir::Value exists;              ///< i1; null: always. Elsewhere this is the first element.
};

/// Those of this thread, in the order of its registers. Where there are fewer elements than threads, of all
/// blocks that deal them out, the thread is one that has one.
inline llvm::SmallVector<ElementOfThread> elementsOfThread(Instructions &write, sm::AccumulatorType sums) {
  const int64_t all = sums.getRows() * sums.getColumns(), threads = sums.getAllThreads();
  mlir::Value thread = write.thread();
  if (sums.getBlocks() > 1)
    thread = write.add(write.multiply(write.clusterRank(), sums.getThreads()), thread);
  llvm::SmallVector<ElementOfThread> elements;
  for (int64_t before = 0; before < all; before += threads) {
    ElementOfThread &element = elements.emplace_back();
    element.number = write.add(thread, before);
    if (before > 0 && before + threads > all) {
      element.exists = write.below(element.number, all);
      element.number = write.select(element.exists, element.number, write.constant(0));
    }
    element.row = write.divide(element.number, sums.getColumns());
    element.column = write.remainder(element.number, sums.getColumns());
  }
  return elements;
}

/// Values of one type, as the struct that a converted type is.
inline mlir::Value structOf(mlir::OpBuilder &builder, mlir::Location location,
                            llvm::ArrayRef<mlir::Value> values) {
  const llvm::SmallVector<mlir::Type> types(mlir::ValueRange(values).getTypes());
  mlir::Value all = mlir::LLVM::PoisonOp::create(
      builder, location, mlir::LLVM::LLVMStructType::getLiteral(builder.getContext(), types));
  for (auto [number, value] : llvm::enumerate(values))
    all = mlir::LLVM::InsertValueOp::create(builder, location, all, value, static_cast<int64_t>(number));
  return all;
}

} // namespace compiler
