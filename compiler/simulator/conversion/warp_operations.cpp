// What the threads of a warp, or a warpgroup, do together.
#include "compiler/simulator/conversion/typed_list.h"
#include "compiler/simulator/model/calls.h"

using namespace mlir;

namespace compiler {
namespace {

void shuffle(NVVM::ShflOp op, CallBuilder &call) {
  int32_t kind = 0;
  switch (op.getKind()) {
  case NVVM::ShflKind::idx:
    kind = sm_shuffle_idx;
    break;
  case NVVM::ShflKind::bfly:
    kind = sm_shuffle_bfly;
    break;
  case NVVM::ShflKind::up:
    kind = sm_shuffle_up;
    break;
  case NVVM::ShflKind::down:
    kind = sm_shuffle_down;
    break;
  }
  OpBuilder &build = call.builder();
  const bool with_predicate = op.getReturnValueAndIsValid().has_value();
  Value in_range =
      with_predicate
          ? call.temporary(build.getI32Type())
          : Value(LLVM::ZeroOp::create(build, op.getLoc(), LLVM::LLVMPointerType::get(op.getContext())));
  Value bits = call.callI32("sm_shuffle", {call.i32(kind), op.getThreadMask(), call.asI32(op.getVal()),
                                           op.getOffset(), op.getMaskAndClamp(), in_range});
  Value value = op.getVal().getType().isF32()
                    ? Value(LLVM::BitcastOp::create(build, op.getLoc(), build.getF32Type(), bits))
                    : bits;
  if (!with_predicate)
    return call.replace(value);
  Value both = LLVM::PoisonOp::create(build, op.getLoc(), op.getType());
  both = LLVM::InsertValueOp::create(build, op.getLoc(), both, value, ArrayRef<int64_t>{0});
  both = LLVM::InsertValueOp::create(
      build, op.getLoc(), both, call.isTrue(call.load(build.getI32Type(), in_range)), ArrayRef<int64_t>{1});
  call.replace(both);
}

void vote(NVVM::VoteSyncOp op, CallBuilder &call) {
  int32_t kind = 0;
  switch (op.getKind()) {
  case NVVM::VoteSyncKind::any:
    kind = sm_vote_any;
    break;
  case NVVM::VoteSyncKind::all:
    kind = sm_vote_all;
    break;
  case NVVM::VoteSyncKind::uni:
    kind = sm_vote_uniform;
    break;
  case NVVM::VoteSyncKind::ballot:
    kind = sm_vote_ballot;
    break;
  }
  Value result = call.callI32("sm_vote", {call.i32(kind), op.getMask(), call.asI32(op.getPred())});
  call.replace(op.getType().isInteger(1) ? call.isTrue(result) : result);
}

} // namespace

void addWarpOperations(ConversionList &list) {
  on<NVVM::ElectSyncOp>(list, [](auto op, CallBuilder &call) {
    call.replace(
        call.isTrue(call.callI32("sm_elect", {op.getMembermask() ? op.getMembermask() : call.i32(-1)})));
  });
  on<NVVM::ShflOp>(list, shuffle);
  on<NVVM::VoteSyncOp>(list, vote);
  on<NVVM::SetMaxRegisterOp>(list, [](auto op, CallBuilder &call) {
    call.call("sm_setmaxnreg",
              {call.i32(op.getRegCount()), call.i32(op.getAction() == NVVM::SetMaxRegisterAction::increase)});
  });
  on<NVVM::NanosleepOp>(list, [](auto, CallBuilder &call) { call.call("sm_nanosleep"); });
}

} // namespace compiler
