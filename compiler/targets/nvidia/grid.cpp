// What a block knows of the grid and of the grids around it.
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "dialects/sm/sm.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

template <class Op, class Register> struct RegisterLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Register>(op, rewriter.getI32Type());
    return success();
  }
};

template <class Op, NVVM::GridDepActionKind action> struct DependencyLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(op, action);
    return success();
  }
};

struct ReadTermsLowering : ConvertOpToLLVMPattern<sm::ReadTermsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ReadTermsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type word = rewriter.getI32Type();
    Value address = LLVM::GEPOp::create(rewriter, op.getLoc(), adaptor.getTable().getType(), word,
                                        adaptor.getTable(), ArrayRef<LLVM::GEPArg>{adaptor.getPosition()});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, word, address, /*alignment=*/4);
    return success();
  }
};

struct ReadRowListLowering : ConvertOpToLLVMPattern<sm::ReadRowListOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ReadRowListOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type word = rewriter.getI32Type();
    Value list = rowListOf(rewriter, op.getLoc(), adaptor.getMaps());
    Value address = LLVM::GEPOp::create(rewriter, op.getLoc(), list.getType(), word, list,
                                        ArrayRef<LLVM::GEPArg>{adaptor.getPosition()});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, word, address, /*alignment=*/4);
    return success();
  }
};

} // namespace

void addGridPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<RegisterLowering<sm::ThreadIndexOp, NVVM::ThreadIdXOp>,
               RegisterLowering<sm::BlockIndexOp, NVVM::BlockIdXOp>,
               RegisterLowering<sm::BlockCountOp, NVVM::GridDimXOp>,
               RegisterLowering<sm::ClusterRankOp, NVVM::ClusterId>,
               DependencyLowering<sm::WaitForPredecessorOp, NVVM::GridDepActionKind::wait>,
               DependencyLowering<sm::ReleaseSuccessorOp, NVVM::GridDepActionKind::launch_dependents>,
               ReadTermsLowering, ReadRowListLowering>(types);
}

} // namespace compiler
