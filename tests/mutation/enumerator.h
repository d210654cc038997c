// The walk over a kernel that finds its mutations. What can go wrong with one kind of instruction stands in
// one source: synchronisation.cpp, products.cpp, memory.cpp; what kernels of vector reductions alone have, in
// reductions.cpp, and what those of two layers alone have, in layers.cpp.
#pragma once

#include "tests/mutation/mutations.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mutation_test {

using namespace mlir;

/// A product whose operand A is registers.
bool isFragmentProduct(Operation *op);

class Enumerator {
public:
  explicit Enumerator(ModuleOp module);
  std::vector<Mutation> run();

private:
  void add(const std::string &kind, const std::string &what, std::function<void(Operation *)> edit);
  void kernel(LLVM::LLVMFuncOp function);
  /// A ring's parity is flipped where the ring begins anew: parity XOR zext(it does). That of an exchange is
  /// flipped with every tile: parity XOR 1.
  void phase(LLVM::XOrOp flip);
  void instruction(Operation *op);
  void remove(Operation *op);
  static Operation *nextInstruction(Operation *op);
  void swap(Operation *op);
  /// The last instruction of a block goes to where all ways from there meet again, where its operands reach
  /// so far.
  void late(Operation *op);
  static Block *meetingPoint(Operation *op);
  void namedBarrier(NVVM::BarrierOp barrier);
  void storeWait();
  void descriptor(const std::string &name, unsigned index);
  void wgmma(NVVM::WgmmaMmaAsyncOp product);
  /// What other blocks shall see, or this one of them, at the scope of a block.
  template <typename Op> void scope(Op op) {
    if (op.getScope() != NVVM::MemScopeKind::CTA)
      add("scope", "block", [](Operation *op) { cast<Op>(op).setScope(NVVM::MemScopeKind::CTA); });
  }
  static bool isOfCluster(Value address) {
    return cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 7;
  }
  /// Sums that go to another block.
  void sent(LLVM::StoreOp store);
  /// Sums that have come.
  void received();
  static bool isGlobal(Value address) {
    return cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 1;
  }
  /// cp.async: target, source, and how many bytes are there.
  void threadCopy(NVVM::CpAsyncOp copy);
  /// Which block of the cluster this is.
  void rank();
  /// The blocks that a copy goes to.
  void multicast(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp load);
  void warpProduct(NVVM::MmaOp product);
  /// A store of sums to global memory.
  void result(LLVM::StoreOp store);
  /// Sums that lanes of a warp exchange.
  void exchange(NVVM::ShflOp shuffle);
  /// A single element on its way through a register: one of global memory, then itself or zero.
  bool isElement(LLVM::LoadOp load) {
    return copies_for_themselves_ && isChosen(load) && load.getType().isInteger(16) &&
           llvm::any_of(load->getUsers(), llvm::IsaPred<LLVM::SelectOp>);
  }
  void elementLoad(LLVM::LoadOp load);
  /// What a map reads of an operand that has rows.
  bool isOfOperand(LLVM::LoadOp load) { return isChosen(load) && !load.getInvariant(); }
  void operandLoad(LLVM::LoadOp load);
  /// Whether it is from where there is something for certain where there is not what it is for.
  bool isChosen(LLVM::LoadOp load) {
    return isGlobal(load.getAddr()) && load.getAddr().getDefiningOp<LLVM::SelectOp>();
  }
  /// A word of a list that a plain map has.
  bool isOfList(LLVM::LoadOp load) {
    return copies_for_themselves_ && isGlobal(load.getAddr()) && load.getType().isInteger(32) &&
           load.getInvariant();
  }
  void listLoad();
  void elementStore(LLVM::StoreOp store);
  /// A coordinate within its extent: of copies, of stores.
  void mask(LLVM::ICmpOp comparison);
  void coordinates(OperandRange values);

  // Of kernels of vector reductions.
  /// Whether the operation is one of those below, and has been dealt with.
  bool reduction(Operation *op);
  /// Whether what it computes only says what the cache is asked for, before the grid before has ended.
  bool isForPrefetching(Operation *op) const;
  /// Of global or of shared memory; what a map says is left as it is.
  void readNumber(LLVM::LoadOp load);
  void sharedSums(LLVM::StoreOp store);
  /// Whether a row is there, what its type and its next term are, how long a loop is.
  void question(LLVM::ICmpOp comparison);

  // Of kernels of two layers.
  /// Whether the operation is one of theirs alone, and has been dealt with.
  bool layers(Operation *op);
  void choose(LLVM::SelectOp choice);
  void otherStage(unsigned address);
  /// The wait for products that stands before an arrival comes behind it.
  void early();
  void fragmentProduct(Operation *product);

  std::vector<Operation *> all_;
  std::vector<int> ordinals_;
  size_t current_ = 0;
  bool copies_for_themselves_ = false; ///< the kernel's threads
  bool reduces_ = false;               ///< vectors, without a ring
  bool has_layers_ = false;            ///< two of them
  std::vector<Mutation> found_;
};

} // namespace mutation_test
