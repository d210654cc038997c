// The barriers of a pipe's stages, and what releasing a stage becomes.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <utility>

namespace compiler {

struct PipeBarriers {
  mlir::Value full, empty; ///< one each for every stage
  int64_t stages = 0;
  /// Of each consumer the blocks that this one copies for and gets copies from; none where it is alone.
  llvm::DenseMap<mlir::Operation *, mlir::Value> peers;
};

/// Makes the products of every step a group of instructions of their own, empty in warpgroups that pass over
/// the step.
void closeGroups(sm::KernelOp kernel);

/// Stages are released behind the products that read them. What one loop or block has waited for serves the
/// stages of all pipes.
class StageReleases {
public:
  explicit StageReleases(mlir::OpBuilder &builder) : builder_(builder) {}

  /// Fails with a message where the op does not follow products, or its loop does not carry its stage.
  mlir::LogicalResult lower(sm::ConsumerReleaseOp release, const PipeBarriers &barriers);

private:
  /// The stages of a pipe that a step of a loop takes, and the loop's argument that is the first of them.
  struct StagesOfStep {
    int64_t steps = 0;
    mlir::BlockArgument first;
  };
  using LoopAndPipe = std::pair<mlir::Operation *, mlir::Value>;

  mlir::LogicalResult releaseAtOnce(sm::ConsumerReleaseOp release, const PipeBarriers &barriers);
  std::optional<StagesOfStep> stagesOfStep(mlir::Value pipe, mlir::scf::ForOp loop);
  void releaseInLoop(sm::ConsumerReleaseOp release, mlir::scf::ForOp loop, const StagesOfStep &taken,
                     const PipeBarriers &barriers);

  mlir::OpBuilder &builder_;
  llvm::DenseMap<LoopAndPipe, StagesOfStep> steps_;
  llvm::DenseMap<LoopAndPipe, int64_t> released_;               ///< behind a loop, of its last step
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> waited_; ///< behind a loop, until nothing is in flight
};

/// LLVM sinks arithmetic to what reads it, maps of a hidden group behind the waits for the blocks that their
/// rows are multiplied by, which they are to hide. So what a map leaves is tied to its place before such
/// waits.
void keepMapsAheadOfWaits(sm::KernelOp kernel);

} // namespace compiler
