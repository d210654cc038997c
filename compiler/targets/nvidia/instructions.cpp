#include "compiler/targets/nvidia/instructions.h"

#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

LLVM::LLVMPointerType pointerTo(MLIRContext *context, Space space) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
}

Value Instructions::divide(Value a, int64_t b) const {
  return llvm::isPowerOf2_64(b) ? shiftRight(a, llvm::Log2_64(b)) : IntegerArithmetic::divide(a, b);
}

Value Instructions::remainder(Value a, int64_t b) const {
  return llvm::isPowerOf2_64(b) ? bitAnd(a, b - 1) : IntegerArithmetic::remainder(a, b);
}

Value Instructions::advance(Value pointer, Value bytes) const {
  const Type byte = IntegerType::get(pointer.getContext(), 8);
  return make<LLVM::GEPOp>(pointer.getType(), byte, pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

Value Instructions::advance(Value pointer, int64_t bytes) const {
  const Type byte = IntegerType::get(pointer.getContext(), 8);
  return make<LLVM::GEPOp>(pointer.getType(), byte, pointer,
                           ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value Instructions::address(Value pointer) const {
  return make<LLVM::PtrToIntOp>(IntegerType::get(pointer.getContext(), 32), pointer);
}

Value Instructions::thread() const {
  return make<NVVM::ThreadIdXOp>(IntegerType::get(location.getContext(), 32));
}

Value Instructions::warpgroup() const { return divide(thread(), sm::warpgroup_threads); }

Value Instructions::threadInWarpgroup() const { return remainder(thread(), sm::warpgroup_threads); }

Value Instructions::lane() const { return remainder(thread(), sm::warp_threads); }

Value Instructions::warp() const { return divide(thread(), sm::warp_threads); }

Value Instructions::clusterRank() const {
  return make<NVVM::ClusterId>(IntegerType::get(location.getContext(), 32));
}

} // namespace compiler
