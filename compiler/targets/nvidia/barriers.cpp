// Places in shared memory, mbarriers, named barriers and fences.
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t barrier_bytes = 8;

NVVM::MemScopeKindAttr scope(OpBuilder &builder, bool cluster) {
  return NVVM::MemScopeKindAttr::get(builder.getContext(),
                                     cluster ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA);
}
NVVM::MemScopeKindAttr blockScope(OpBuilder &builder) { return scope(builder, false); }

template <class Op> struct PlaceLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value base = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(), pointerTo(rewriter.getContext(), Space::Shared), shared_memory_name);
    const int64_t offset = op->template getAttrOfType<IntegerAttr>(shared_offset_name).getInt();
    rewriter.replaceOp(op, Instructions(rewriter, op.getLoc()).advance(base, offset));
    return success();
  }
};

Value barrierOf(ConversionPatternRewriter &rewriter, Location location, Value barriers, Value stage) {
  Instructions write(rewriter, location);
  return write.advance(barriers, write.multiply(stage, barrier_bytes));
}

struct InitializeLowering : ConvertOpToLLVMPattern<sm::InitializeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::InitializeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    for (auto [ring, address] : llvm::zip(op.getBarriers(), adaptor.getBarriers())) {
      const auto stages = cast<sm::BarriersType>(ring.getType()).getStages();
      const auto arrivals = ring.getDefiningOp<sm::BarriersOp>().getArrivals();
      for (int64_t stage = 0; stage < stages; ++stage)
        NVVM::MBarrierInitOp::create(rewriter, op.getLoc(), write.advance(address, stage * barrier_bytes),
                                     write.constant(static_cast<int64_t>(arrivals)), Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExpectLowering : ConvertOpToLLVMPattern<sm::ExpectOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ExpectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value barrier = barrierOf(rewriter, op.getLoc(), adaptor.getBarriers(), adaptor.getStage());
    Instructions write(rewriter, op.getLoc());
    Value bytes = write.constant(static_cast<int64_t>(op.getBytes()));
    if (Value more = adaptor.getMore())
      bytes = write.add(more, static_cast<int64_t>(op.getBytes()));
    NVVM::MBarrierArriveExpectTxOp::create(rewriter, op.getLoc(), TypeRange(), barrier, bytes,
                                           blockScope(rewriter), rewriter.getBoolAttr(false), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitLowering : ConvertOpToLLVMPattern<sm::WaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::WaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value barrier = barrierOf(rewriter, location, adaptor.getBarriers(), adaptor.getStage());
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *attempt = rewriter.createBlock(after);
    Value done =
        NVVM::MBarrierTryWaitOp::create(rewriter, location, rewriter.getI1Type(), barrier,
                                        adaptor.getParity(), Value(), scope(rewriter, op.getCluster()));
    LLVM::CondBrOp::create(rewriter, location, done, after, attempt);
    rewriter.setInsertionPointToEnd(before);
    LLVM::BrOp::create(rewriter, location, attempt);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ArriveLowering : ConvertOpToLLVMPattern<sm::ArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ArriveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value barrier = barrierOf(rewriter, op.getLoc(), adaptor.getBarriers(), adaptor.getStage());
    if (op.getMask()) {
      // Each lane of the mask arrives at the block of its own number. In every step it hands over a stage
      // that has been read, no data: at the scope of the cluster ptxas would fence all of memory at every
      // arrival, and empty the first-level cache at every wait.
      Value block = Instructions(rewriter, op.getLoc()).lane();
      barrier = NVVM::MapaOp::create(rewriter, op.getLoc(),
                                     pointerTo(rewriter.getContext(), Space::ClusterShared), barrier, block);
    }
    NVVM::MBarrierArriveOp::create(rewriter, op.getLoc(), TypeRange(), barrier, Value(),
                                   scope(rewriter, op.getPublish() && op.getMask()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct ClusterSyncLowering : ConvertOpToLLVMPattern<sm::ClusterSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ClusterSyncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The warp of a thread that was alone until here has come apart: hence not the aligned forms. The arrival
    // releases: what this thread has sent to barriers of other blocks has to be there before these exit.
    NVVM::ClusterArriveOp::create(rewriter, op.getLoc(), UnitAttr());
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op, UnitAttr());
    return success();
  }
};

struct SyncLowering : ConvertOpToLLVMPattern<sm::SyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::SyncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    // Barrier 0 belongs to the whole block.
    Value barrier = write.add(write.warpgroup(), 1);
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(op, TypeRange(), barrier,
                                                 write.constant(sm::warpgroup_threads),
                                                 NVVM::BarrierReductionAttr(), Value());
    return success();
  }
};

/// Those of parts are counted from the last one of a block down, those of its warpgroups from the first.
int64_t barrierOfParts(int64_t number) { return 15 - number; }

Value threadsOfPartition(Instructions &write, Operation *op) {
  return write.constant(op->getAttrOfType<IntegerAttr>(partition_warpgroups_name).getInt() *
                        sm::warpgroup_threads);
}

struct SyncPartsLowering : ConvertOpToLLVMPattern<sm::SyncPartsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::SyncPartsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(
        op, TypeRange(), write.constant(barrierOfParts(op.getBarrierAttr().getInt())),
        threadsOfPartition(write, op), NVVM::BarrierReductionAttr(), Value());
    return success();
  }
};

struct ArrivePartsLowering : ConvertOpToLLVMPattern<sm::ArrivePartsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ArrivePartsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<NVVM::BarrierArriveOp>(
        op, write.constant(barrierOfParts(op.getBarrierAttr().getInt())), threadsOfPartition(write, op));
    return success();
  }
};

struct FenceLowering : ConvertOpToLLVMPattern<sm::FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::FenceOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MLIRContext *context = rewriter.getContext();
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
    return success();
  }
};

} // namespace

void addBarrierPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns
      .add<PlaceLowering<sm::AllocateOp>, PlaceLowering<sm::AllocateReductionBufferOp>,
           PlaceLowering<sm::AllocateSumsBufferOp>, PlaceLowering<sm::AllocateHiddenBufferOp>,
           PlaceLowering<sm::BarriersOp>, InitializeLowering, ExpectLowering, WaitLowering, ArriveLowering,
           ClusterSyncLowering, SyncLowering, SyncPartsLowering, ArrivePartsLowering, FenceLowering>(types);
}

} // namespace compiler
