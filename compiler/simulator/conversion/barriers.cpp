// mbarriers, fences and the barriers of blocks, clusters and warps.
#include "compiler/simulator/conversion/typed_list.h"
#include "compiler/simulator/model/calls.h"

using namespace mlir;

namespace compiler {
namespace {

/// The words that arrive and wait ops have for weaker or wider forms.
template <typename Op> bool isRelaxed(Op op, CallBuilder &call) {
  if (op.getRelaxed())
    call.refuse("the model orders what an arrival releases and a wait acquires; relaxed forms are not in it");
  return op.getRelaxed();
}

int32_t scopeOf(NVVM::MemScopeKind scope) {
  switch (scope) {
  case NVVM::MemScopeKind::CTA:
    return sm_scope_cta;
  case NVVM::MemScopeKind::CLUSTER:
    return sm_scope_cluster;
  case NVVM::MemScopeKind::GPU:
    return sm_scope_gpu;
  case NVVM::MemScopeKind::SYS:
    return sm_scope_system;
  }
  llvm_unreachable("a scope without a number");
}

template <typename Op> void arrive(Op op, Value amount, llvm::StringRef function, CallBuilder &call) {
  if (isRelaxed(op, call))
    return;
  if (isClusterAddress(op.getAddr())) {
    // Copies are announced to another block at whatever scope; a plain arrival says what others shall see.
    SmallVector<Value> operands = {call.pointer(op.getAddr()), amount};
    if constexpr (std::is_same_v<Op, NVVM::MBarrierArriveOp>)
      operands.push_back(call.i32(scopeOf(op.getScope())));
    return call.call((function + "_cluster").str(), operands);
  }
  Value state = call.call(function, call.builder().getI64Type(), {call.pointer(op.getAddr()), amount});
  if (op->getNumResults() == 1)
    call.replace(state);
}

/// A wait on a parity (i32) or on the state that an arrival returned (i64).
template <typename Op> void wait(Op op, llvm::StringRef function, CallBuilder &call) {
  if (isRelaxed(op, call))
    return;
  Value what = op.getStateOrPhase();
  const bool parity = what.getType().isInteger(32);
  SmallVector<Value> operands = {call.pointer(op.getAddr()), what};
  if constexpr (std::is_same_v<Op, NVVM::MBarrierTryWaitOp>)
    operands.push_back(call.i32(scopeOf(op.getScope())));
  else if (op.getScope() != NVVM::MemScopeKind::CTA)
    return call.refuse("a test at another scope than a block's; try_wait has them");
  call.replace(call.isTrue(call.callI32((parity ? function + "_parity" : function).str(), operands)));
}

void fenceProxy(NVVM::FenceProxyOp op, CallBuilder &call) {
  int32_t kind = 0;
  switch (op.getKind()) {
  case NVVM::ProxyKind::alias:
    kind = sm_proxy_alias;
    break;
  case NVVM::ProxyKind::async:
    kind = sm_proxy_async;
    break;
  case NVVM::ProxyKind::async_global:
    kind = sm_proxy_async_global;
    break;
  case NVVM::ProxyKind::async_shared:
    kind = op.getSpace() == NVVM::SharedSpace::shared_cluster ? sm_proxy_async_shared_cluster
                                                              : sm_proxy_async_shared_cta;
    break;
  case NVVM::ProxyKind::TENSORMAP:
    kind = sm_proxy_tensormap;
    break;
  case NVVM::ProxyKind::GENERIC:
    return call.refuse("a fence from the generic proxy to itself");
  }
  call.call("sm_fence_proxy", {call.i32(kind)});
}

} // namespace

void addBarriers(ConversionList &list) {
  // mbarriers
  on<NVVM::MBarrierInitOp>(list, [](auto op, CallBuilder &call) {
    call.onlyIf(op.getPredicate());
    call.call("sm_mbarrier_init", {call.pointer(op.getAddr()), op.getCount()});
  });
  on<NVVM::MBarrierInvalOp>(
      list, [](auto op, CallBuilder &call) { call.call("sm_mbarrier_inval", {call.pointer(op.getAddr())}); });
  on<NVVM::MBarrierArriveOp>(list, [](auto op, CallBuilder &call) {
    arrive(op, op.getCount() ? op.getCount() : call.i32(1), "sm_mbarrier_arrive", call);
  });
  on<NVVM::MBarrierArriveExpectTxOp>(list, [](auto op, CallBuilder &call) {
    call.onlyIf(op.getPredicate());
    arrive(op, op.getTxcount(), "sm_mbarrier_arrive_expect_tx", call);
  });
  on<NVVM::MBarrierExpectTxOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_mbarrier_expect_tx", {call.pointer(op.getAddr()), op.getTxcount()});
  });
  on<NVVM::MBarrierCompleteTxOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_mbarrier_complete_tx", {call.pointer(op.getAddr()), op.getTxcount()});
  });
  on<NVVM::MBarrierTryWaitOp>(list,
                              [](auto op, CallBuilder &call) { wait(op, "sm_mbarrier_try_wait", call); });
  on<NVVM::MBarrierTestWaitOp>(list,
                               [](auto op, CallBuilder &call) { wait(op, "sm_mbarrier_test_wait", call); });
  // This op is a loop in itself.
  on<NVVM::MBarrierTryWaitParityOp>(list, [](auto op, CallBuilder &call) {
    call.repeatUntil([&] {
      return call.isTrue(call.callI32("sm_mbarrier_try_wait_parity",
                                      {call.pointer(op.getAddr()), op.getPhase(), call.i32(sm_scope_cta)}));
    });
  });

  // fences
  on<NVVM::FenceMbarrierInitOp>(list, [](auto, CallBuilder &call) { call.call("sm_fence_mbarrier_init"); });
  on<NVVM::FenceProxyOp>(list, fenceProxy);
  on<NVVM::MembarOp>(
      list, [](auto op, CallBuilder &call) { call.call("sm_fence", {call.i32(scopeOf(op.getScope()))}); });
  on<NVVM::FenceScClusterOp>(
      list, [](auto, CallBuilder &call) { call.call("sm_fence", {call.i32(sm_scope_cluster)}); });

  // the block
  on<NVVM::Barrier0Op>(list,
                       [](auto, CallBuilder &call) { call.call("sm_barrier", {call.i32(0), call.i32(0)}); });
  on<NVVM::BarrierOp>(list, [](auto op, CallBuilder &call) {
    if (op.getReductionOp())
      return call.refuse("a barrier that reduces");
    call.call("sm_barrier", {op.getBarrierId() ? op.getBarrierId() : call.i32(0),
                             op.getNumberOfThreads() ? op.getNumberOfThreads() : call.i32(0)});
  });
  on<NVVM::BarrierArriveOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_barrier_arrive",
              {op.getBarrierId() ? op.getBarrierId() : call.i32(0), op.getNumberOfThreads()});
  });

  // the cluster
  on<NVVM::ClusterArriveOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_cluster_arrive", {call.i32(0), call.i32(op.getAligned().has_value())});
  });
  on<NVVM::ClusterArriveRelaxedOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_cluster_arrive", {call.i32(1), call.i32(op.getAligned().has_value())});
  });
  on<NVVM::ClusterWaitOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_cluster_wait", {call.i32(op.getAligned().has_value())});
  });

  // the warp
  on<NVVM::SyncWarpOp>(list, [](auto op, CallBuilder &call) { call.call("sm_warp_sync", {op.getMask()}); });

  // the grid
  on<NVVM::GriddepcontrolOp>(list, [](auto op, CallBuilder &call) {
    call.call(op.getKind() == NVVM::GridDepActionKind::wait ? "sm_griddepcontrol_wait"
                                                            : "sm_griddepcontrol_launch_dependents");
  });
}

} // namespace compiler
