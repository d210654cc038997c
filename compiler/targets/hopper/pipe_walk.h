// A partition goes through the stages of a pipe: it carries the one that is next, and the parity of its pass.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace compiler {

/// Where a partition stands in a pipe.
struct PipePosition {
  mlir::Value stage;  ///< the next one, index
  mlir::Value parity; ///< of the wait for it, i32
};

/// The block that carries the position of a partition's steps at a pipe: the partition's body, or that of the
/// sm.elect that all of them stand in. Fails with a message where there is more than loops and branches
/// between it and a step.
mlir::FailureOr<mlir::Block *> blockOfSteps(sm::PartitionOp partition, mlir::Value pipe);

/// Takes one partition's steps at a pipe to its stages.
class PipeWalk {
public:
  /// Writes what an sm.produce or sm.consume becomes at a position, and leaves the builder behind it. The op
  /// is there afterwards.
  using WriteStep = llvm::function_ref<void(mlir::OpBuilder &, mlir::Operation *, PipePosition)>;

  PipeWalk(mlir::Value pipe, int64_t stages, WriteStep write)
      : builder_(pipe.getContext()), pipe_(pipe), stages_(stages), write_(write) {}

  /// Begins at the first stage, with a parity to start from. Loops and branches carry the position from step
  /// to step; those of the block are other ones afterwards. An sm.skip is gone.
  void run(mlir::Block &block, int32_t parity);

private:
  bool concerns(mlir::Operation *op);
  PipePosition through(mlir::Block &block, PipePosition position);
  PipePosition throughLoop(mlir::scf::ForOp loop, PipePosition position);
  PipePosition throughBranch(mlir::scf::IfOp branch, PipePosition position);
  PipePosition advance(mlir::Location location, PipePosition position);
  PipePosition advanceBy(sm::SkipOp skip, PipePosition position);

  mlir::OpBuilder builder_;
  mlir::Value pipe_;
  int64_t stages_;
  WriteStep write_;
};

} // namespace compiler
