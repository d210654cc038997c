// Copies of blocks into shared memory by the threads of the block, and what they wait for.
#include "compiler/targets/nvidia/conditional.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"
#include "compiler/targets/nvidia/vector_distribution.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t element_bytes = 2;

struct CopyLowering : ConvertOpToLLVMPattern<sm::CopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::CopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    sm::MapsType maps = op.getSource().getType();
    sm::BufferType buffer = op.getTarget().getType();
    const PlainBlock block(rewriter, location, maps, adaptor.getSource(), adaptor.getMap(),
                           adaptor.getCoordinates());
    Value stage_start =
        write.advance(adaptor.getTarget(), write.multiply(adaptor.getStage(), stageStride(buffer)));
    const SmallVector<VectorCopy> vectors =
        distributeVectors(rewriter, location, maps, buffer, block, stage_start,
                          threadsOf(op->getParentOfType<LLVM::LLVMFuncOp>()));
    if (maps.getVector() == 1)
      copyElements(vectors, block, location, rewriter);
    else
      copyAsynchronously(vectors, maps.getVector() * element_bytes, location, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// cp.async reads as many bytes as its last operand says and writes zeros behind them.
  static void copyAsynchronously(ArrayRef<VectorCopy> vectors, int64_t bytes, Location location,
                                 ConversionPatternRewriter &rewriter) {
    Instructions write(rewriter, location);
    // Whole lines need not pass through the L1 cache; smaller copies can go no other way.
    const auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    for (const VectorCopy &vector : vectors)
      onlyWhere(rewriter, location, vector.mine, [&] {
        Value source_bytes = write.select(vector.present, bytes, 0);
        NVVM::CpAsyncOp::create(rewriter, location, vector.target, vector.source,
                                rewriter.getI32IntegerAttr(static_cast<int32_t>(bytes)),
                                NVVM::LoadCacheModifierKindAttr::get(rewriter.getContext(), cache),
                                source_bytes);
      });
  }

  /// Single elements go through registers, a batch of them at a time so that their loads overlap. Those that
  /// are not there are read from where there is one for certain: a branch around each would cost more.
  static void copyElements(ArrayRef<VectorCopy> elements, const PlainBlock &block, Location location,
                           ConversionPatternRewriter &rewriter) {
    constexpr size_t batch = 16;
    Instructions write(rewriter, location);
    Type bits = rewriter.getI16Type();
    Value zero = LLVM::ZeroOp::create(rewriter, location, bits);
    while (!elements.empty()) {
      ArrayRef<VectorCopy> now = elements.take_front(batch);
      elements = elements.drop_front(now.size());
      SmallVector<Value> values;
      for (const VectorCopy &element : now) {
        Value from = write.select(element.present, element.source, block.origin());
        Value value = LLVM::LoadOp::create(rewriter, location, bits, from, element_bytes);
        values.push_back(write.select(element.present, value, zero));
      }
      for (auto [element, value] : llvm::zip(now, values))
        onlyWhere(rewriter, location, element.mine,
                  [&] { LLVM::StoreOp::create(rewriter, location, value, element.target, element_bytes); });
    }
  }
};

struct CopyCommitLowering : ConvertOpToLLVMPattern<sm::CopyCommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::CopyCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct CopyWaitLowering : ConvertOpToLLVMPattern<sm::CopyWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::CopyWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(
        op, rewriter.getI32IntegerAttr(static_cast<int32_t>(op.getPending())));
    return success();
  }
};

struct BlockSyncLowering : ConvertOpToLLVMPattern<sm::BlockSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::BlockSyncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

} // namespace

void addThreadCopyPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<CopyLowering, CopyCommitLowering, CopyWaitLowering, BlockSyncLowering>(types);
}

} // namespace compiler
