#include "compiler/simulator/conversion/memory_accesses.h"

#include "compiler/simulator/conversion/approximations.h"
#include "compiler/simulator/conversion/conversion_list.h"
#include "compiler/simulator/model/calls.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {
namespace {

/// Whether an address is in the thread's own stack, as far as the ops that computed it say so.
bool isOnStack(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(op))
      return true;
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op))
      return false;
    address = op->getOperand(0);
  }
  return false;
}

bool roundsToBfloat16(Operation *op) {
  auto truncation = dyn_cast<LLVM::FPTruncOp>(op);
  return truncation && getElementTypeOrSelf(truncation.getType()).isBF16() &&
         getElementTypeOrSelf(truncation.getArg().getType()).isF32();
}

/// Host arithmetic on bf16 would round elsewhere than the GPU does, where it exists at all.
bool computesInBfloat16(Operation *op) {
  if (!isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp, LLVM::FRemOp, LLVM::FMAOp,
           LLVM::FMulAddOp>(op))
    return false;
  return getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
}

class AccessBuilder {
public:
  explicit AccessBuilder(CallBuilder &call) : call_(call) {}

  void access(llvm::StringRef function, Value address, Type type) {
    const DataLayout layout = DataLayout::closest(call_.builder().getInsertionBlock()->getParentOp());
    access(function, address, call_.i64(static_cast<int64_t>(layout.getTypeSize(type).getFixedValue())));
  }

  void access(llvm::StringRef function, Value address, Value bytes) {
    if (!isOnStack(address))
      call_.call(function, {call_.pointer(address), call_.asI64(bytes)});
  }

private:
  CallBuilder &call_;
};

/// The number of a synchronisation scope as LLVM's NVPTX backend names it.
std::optional<int32_t> scopeNamed(std::optional<StringRef> name) {
  return llvm::StringSwitch<std::optional<int32_t>>(name.value_or(""))
      .Case("", sm_scope_system)
      .Case("block", sm_scope_cta)
      .Case("cluster", sm_scope_cluster)
      .Case("device", sm_scope_gpu)
      .Default(std::nullopt);
}

} // namespace

HostForm hostForm(Operation *op) {
  if (roundsToBfloat16(op) || modelOfApproximation(op) ||
      isa<LLVM::AddressOfOp, LLVM::FenceOp, LLVM::Trap>(op))
    return HostForm::Replaced;
  if (computesInBfloat16(op))
    return HostForm::Unknown;
  if (isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::MemcpyOp,
          LLVM::MemcpyInlineOp, LLVM::MemmoveOp, LLVM::MemsetOp>(op))
    return HostForm::Checked;
  if (isa<LLVM::AllocaOp, LLVM::AssumeOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op))
    return HostForm::Same;
  if (auto call = dyn_cast<LLVM::CallOp>(op)) {
    auto callee = call.getCallee()
                      ? SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(op, call.getCalleeAttr())
                      : LLVM::LLVMFuncOp();
    return callee && !callee.isExternal() ? HostForm::Same : HostForm::Unknown;
  }
  if (isa<LLVM::InlineAsmOp, LLVM::CallIntrinsicOp>(op))
    return HostForm::Unknown;
  return isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ? HostForm::Same : HostForm::Unknown;
}

void checkAccess(Operation *op, CallBuilder &call) {
  AccessBuilder build(call);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LLVM::LoadOp load) {
        build.access(load.getOrdering() == LLVM::AtomicOrdering::not_atomic ? "sm_read" : "sm_atomic",
                     load.getAddr(), load.getType());
      })
      .Case([&](LLVM::StoreOp store) {
        const char *write =
            getElementTypeOrSelf(store.getValue().getType()).isF64() ? "sm_write_f64" : "sm_write";
        build.access(store.getOrdering() == LLVM::AtomicOrdering::not_atomic ? write : "sm_atomic",
                     store.getAddr(), store.getValue().getType());
      })
      .Case([&](LLVM::AtomicRMWOp atomic) { build.access("sm_atomic", atomic.getPtr(), atomic.getType()); })
      .Case([&](LLVM::AtomicCmpXchgOp atomic) {
        build.access("sm_atomic", atomic.getPtr(), atomic.getVal().getType());
      })
      .Case([&](LLVM::MemcpyInlineOp copy) {
        build.access("sm_read", copy.getSrc(), call.i64(copy.getLen().getSExtValue()));
        build.access("sm_write", copy.getDst(), call.i64(copy.getLen().getSExtValue()));
      })
      .Case<LLVM::MemcpyOp, LLVM::MemmoveOp>([&](auto copy) {
        build.access("sm_read", copy.getSrc(), copy.getLen());
        build.access("sm_write", copy.getDst(), copy.getLen());
      })
      .Case([&](LLVM::MemsetOp set) { build.access("sm_write", set.getDst(), set.getLen()); })
      .Default([](Operation *) { llvm_unreachable("not a memory access"); });
}

void replaceLlvmOp(Operation *op, CallBuilder &call) {
  OpBuilder &build = call.builder();
  if (const auto model = modelOfApproximation(op))
    return replaceApproximation(op, *model, call);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LLVM::FPTruncOp truncation) {
        call.replace(roundToBfloat16(build, op->getLoc(), truncation.getArg()));
      })
      .Case([&](LLVM::AddressOfOp address) {
        Value base = call.call("sm_shared_base", LLVM::LLVMPointerType::get(op->getContext()));
        call.replace(LLVM::AddrSpaceCastOp::create(build, op->getLoc(), address.getType(), base));
      })
      .Case([&](LLVM::FenceOp fence) {
        const auto scope = scopeNamed(fence.getSyncscope());
        if (!scope)
          return call.refuse("its scope is none of block, cluster, device and system");
        call.call("sm_fence", {call.i32(*scope)});
      })
      .Case([&](LLVM::Trap) { call.call("sm_trap"); })
      .Default([](Operation *) { llvm_unreachable("not an op that is replaced"); });
}

} // namespace compiler
