// Which operations of a program share a kernel.
#pragma once

#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace compiler {

/// Operations in the order of the program.
using KernelGroup = llvm::SetVector<mlir::Operation *>;

/// Whether an operation computes something: contractions, maps, reductions, and arithmetic on tensors. The
/// others say how tensors are seen, or are numbers, and belong to whoever reads them.
bool isStep(mlir::Operation *op);

/// The steps whose results an operation reads through views.
KernelGroup producersOf(mlir::Operation *op);
/// The steps that make a value, seen through views.
KernelGroup producersOf(mlir::Value value);

/// The results of a group that others read, or that the function returns.
llvm::SmallVector<mlir::Value> resultsOf(const KernelGroup &group);

class KernelGroups {
public:
  struct Options {
    unsigned results = 1; ///< of a kernel, at most
    bool layers = false;  ///< whether products may join what makes their rows
    bool apart = false;   ///< each step is a group of its own
  };
  /// Groups the steps of a function of one block.
  KernelGroups(mlir::func::FuncOp function, const Options &options);

  /// In an order in which each group reads earlier ones alone.
  llvm::SmallVector<KernelGroup> inOrder() const;

  /// Reports, at each step that reads the result of another group, why it is not in that.
  void emitRemarks() const;

private:
  /// Why a set of steps cannot be one kernel; nothing where it can.
  std::optional<std::string> objection(const KernelGroup &steps) const;
  std::optional<std::string> objectionToContractions(const KernelGroup &steps,
                                                     const KernelGroup &first_layer) const;
  std::optional<std::string> objectionToLayers(const KernelGroup &steps,
                                               const KernelGroup &first_layer) const;
  std::optional<std::string> objectionToReductions(const KernelGroup &steps) const;
  /// Whether the kernel of a step, which is not in the group, reads something that depends on the group.
  bool dependsOn(mlir::Operation *op, const KernelGroup &group) const;
  bool tryToJoin(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> others);
  /// A map and all others that read what a product leaves join it together, where one alone would be a result
  /// too many: what nobody else reads is then nowhere as a whole. Of several such products that one is
  /// taken with which the fewest bytes are stored.
  void joinReaders(mlir::Operation *map, const KernelGroup &producers);
  KernelGroup joined(mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> others) const;
  KernelGroup groupOf(mlir::Operation *op) const;

  Options options_;
  llvm::SmallVector<mlir::Operation *> steps_;
  llvm::DenseMap<mlir::Operation *, unsigned> number_of_group_;
};

} // namespace compiler
