// Blocks that lie in the stages of a pipe: how they get there, and what is made of them.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace compiler {

/// What a block is cut into in shared memory. Each piece has a place in the buffer, so that a stage has as
/// many places as the block has pieces: of stationary rows one for each box of their maps, of rounded sums
/// one for each warpgroup that writes them, of others one.
struct BlockPieces {
  int64_t rows, columns; ///< of one piece
  int64_t count;

  bool operator==(const BlockPieces &) const = default;
};

/// Of a block that an sm.produce passes on.
BlockPieces piecesOf(mlir::Value produced);

/// Where an sm.consume finds a block.
struct StagedBlock {
  mlir::Value buffer;
  BlockPieces pieces;
  sm::ConsumerWaitOp wait; ///< has the stage; null of kept rows, which have the only one
};
using StagedBlocks = llvm::DenseMap<mlir::Value, StagedBlock>;

/// The place in the buffer of a piece of the block in a stage.
mlir::Value placeOfPiece(mlir::OpBuilder &builder, mlir::Location location, mlir::Value buffer,
                         int64_t pieces, mlir::Value stage, mlir::Value piece);

/// Writes what fills a stage between its acquisition and its commit: the loads, or the writes of sums.
void fillStage(mlir::OpBuilder &builder, sm::ProduceOp produce, mlir::Value staged_pipe,
               llvm::ArrayRef<mlir::Value> buffers, mlir::Value stage, mlir::Value parity);

/// Products and stores of consumed blocks become those of their stages. Fails with a message where a
/// product's block lies in pieces.
mlir::LogicalResult useStages(sm::KernelOp kernel, const StagedBlocks &blocks);

} // namespace compiler
