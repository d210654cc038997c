#include "compiler/targets/nvidia/shared_memory.h"

#include "compiler/targets/nvidia/kernel_attribute.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace compiler {

int64_t stageStride(sm::BufferType buffer) { return llvm::alignTo(buffer.getStageBytes(), stage_alignment); }

FailureOr<int64_t> placeSharedMemory(sm::KernelOp kernel) {
  constexpr int64_t barrier_bytes = 8, vector_bytes = 16;
  int64_t bytes = 0;
  auto place = [&](Operation *op, int64_t size) {
    op->setAttr(shared_offset_name, IntegerAttr::get(IntegerType::get(op->getContext(), 64), bytes));
    bytes += size;
  };
  for (auto buffer : kernel.getBody().getOps<sm::AllocateOp>()) {
    sm::BufferType type = buffer.getBuffer().getType();
    place(buffer, type.getStages() * stageStride(type));
  }
  for (auto reduction_buffer : kernel.getBody().getOps<sm::AllocateReductionBufferOp>())
    place(reduction_buffer, reduction_buffer.getReductionBuffer().getType().getBytes());
  for (auto sums : kernel.getBody().getOps<sm::AllocateSumsBufferOp>())
    place(sums, sums.getBuffer().getType().getBytes());
  for (auto hidden : kernel.getBody().getOps<sm::AllocateHiddenBufferOp>()) {
    bytes = llvm::alignTo(bytes, vector_bytes);
    place(hidden, hidden.getBuffer().getType().getBytes());
  }
  for (auto barriers : kernel.getBody().getOps<sm::BarriersOp>())
    place(barriers, barriers.getBarriers().getType().getStages() * barrier_bytes);
  const int64_t most = usesPlainMaps(kernel) ? most_portable_shared_bytes : most_shared_bytes;
  if (bytes > most)
    return kernel.emitOpError("needs ") << bytes << " bytes of shared memory, a block can have " << most
                                        << "; take fewer stages or a smaller tile";
  return bytes;
}

} // namespace compiler
