// Copies between global and shared memory: tensor maps, bulk copies, cp.async.
#include "compiler/simulator/conversion/typed_list.h"

using namespace mlir;

namespace compiler {
namespace {

/// The rank and five coordinates, those past the rank zero. Empty after a refusal.
SmallVector<Value> coordinates(ValueRange given, CallBuilder &call) {
  if (given.empty() || given.size() > 5) {
    call.refuse("a tensor map has 1 to 5 coordinates, not " + Twine(given.size()));
    return {};
  }
  SmallVector<Value> values{call.i32(static_cast<int64_t>(given.size()))};
  llvm::append_range(values, given);
  while (values.size() < 6)
    values.push_back(call.i32(0));
  return values;
}

/// The mask of block ranks that a copy goes to, -1 without one.
Value multicast(Value mask, CallBuilder &call) { return mask ? call.asI32(mask) : call.i32(-1); }

void tensorLoad(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op, CallBuilder &call) {
  if (op.getMode() != NVVM::TMALoadMode::TILE || !op.getIm2colOffsets().empty())
    return call.refuse("another load mode than tile");
  if (op.getGroup())
    return call.refuse("a group of blocks");
  SmallVector<Value> place = coordinates(op.getCoordinates(), call);
  if (place.empty())
    return;
  call.onlyIf(op.getPredicate());
  SmallVector<Value> arguments{call.pointer(op.getDstMem()), op.getTmaDescriptor(),
                               call.pointer(op.getMbar())};
  llvm::append_range(arguments, place);
  arguments.push_back(multicast(op.getMulticastMask(), call));
  arguments.push_back(call.i32(op.getIsCTAOnly()));
  call.call("sm_tma_load", arguments);
}

/// Calls what stores a box to the place of the op, or adds it to what is there.
template <class Op> void storeBox(Op op, CallBuilder &call, StringRef symbol) {
  if (op.getMode() != NVVM::TMAStoreMode::TILE)
    return call.refuse("another store mode than tile");
  const SmallVector<Value> place = coordinates(op.getCoordinates(), call);
  if (place.empty())
    return;
  SmallVector<Value> arguments{op.getTmaDescriptor(), call.pointer(op.getSrcMem())};
  llvm::append_range(arguments, place);
  call.call(symbol, arguments);
}

void tensorStore(NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op, CallBuilder &call) {
  call.onlyIf(op.getPredicate());
  storeBox(op, call, "sm_tma_store");
}

void tensorReduce(NVVM::CpAsyncBulkTensorReduceOp op, CallBuilder &call) {
  if (op.getRedKind() != NVVM::TMAReduxKind::ADD)
    return call.refuse("another reduction than a sum");
  storeBox(op, call, "sm_tma_add");
}

void tensorPrefetch(NVVM::CpAsyncBulkTensorPrefetchOp op, CallBuilder &call) {
  if (op.getMode() != NVVM::TMALoadMode::TILE || !op.getIm2colOffsets().empty())
    return call.refuse("another load mode than tile");
  SmallVector<Value> place = coordinates(op.getCoordinates(), call);
  if (place.empty())
    return;
  SmallVector<Value> arguments{op.getTmaDescriptor()};
  llvm::append_range(arguments, place);
  call.call("sm_tma_prefetch", arguments);
}

} // namespace

void addCopies(ConversionList &list) {
  // tensor maps
  on<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(list, tensorLoad);
  on<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(list, tensorStore);
  on<NVVM::CpAsyncBulkTensorReduceOp>(list, tensorReduce);
  on<NVVM::CpAsyncBulkTensorPrefetchOp>(list, tensorPrefetch);
  on<NVVM::PrefetchOp>(list, [](auto op, CallBuilder &call) {
    if (!op.getTensormap() && op.getUniform())
      return call.refuse("data are prefetched into the caches of data alone");
    call.onlyIf(op.getPredicate());
    call.call(op.getTensormap() ? "sm_prefetch_tensormap" : "sm_prefetch", {call.pointer(op.getAddr())});
  });

  // bulk copies
  on<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_bulk_load",
              {call.pointer(op.getDstMem()), call.pointer(op.getMbar()), call.pointer(op.getSrcMem()),
               op.getSize(), multicast(op.getMulticastMask(), call)});
  });
  on<NVVM::CpAsyncBulkSharedCTAToGlobalOp>(list, [](auto op, CallBuilder &call) {
    if (op.getByteMask())
      return call.refuse("a mask of bytes");
    call.call("sm_bulk_store", {call.pointer(op.getDstMem()), call.pointer(op.getSrcMem()), op.getSize()});
  });
  on<NVVM::CpAsyncBulkCommitGroupOp>(list,
                                     [](auto, CallBuilder &call) { call.call("sm_bulk_commit_group"); });
  on<NVVM::CpAsyncBulkWaitGroupOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_bulk_wait_group", {call.i32(op.getGroup()), call.i32(op.getRead().has_value())});
  });

  // cp.async
  on<NVVM::CpAsyncOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_cp_async", {call.pointer(op.getDst()), call.pointer(op.getSrc()), call.i32(op.getSize()),
                              op.getCpSize() ? op.getCpSize() : call.i32(op.getSize())});
  });
  on<NVVM::CpAsyncCommitGroupOp>(list,
                                 [](auto, CallBuilder &call) { call.call("sm_cp_async_commit_group"); });
  on<NVVM::CpAsyncWaitGroupOp>(
      list, [](auto op, CallBuilder &call) { call.call("sm_cp_async_wait_group", {call.i32(op.getN())}); });
  on<NVVM::CpAsyncMBarrierArriveOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_cp_async_mbarrier_arrive", {call.pointer(op.getAddr()), call.i32(op.getNoinc())});
  });

  // addresses of other blocks
  on<NVVM::MapaOp>(list, [](auto op, CallBuilder &call) {
    Value address = call.call("sm_mapa", LLVM::LLVMPointerType::get(op.getContext()),
                              {call.pointer(op.getA()), op.getB()});
    if (address.getType() != op.getType())
      address = LLVM::AddrSpaceCastOp::create(call.builder(), op.getLoc(), op.getType(), address);
    call.replace(address);
  });
}

} // namespace compiler
