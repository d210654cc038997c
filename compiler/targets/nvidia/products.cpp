// Products of warpgroups on the tensor cores.
#include "compiler/targets/nvidia/descriptor.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

template <class Op> struct ZeroLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, this->typeConverter->convertType(op.getType()));
    return success();
  }
};

/// One side of an instruction: an operand in its stage, as the instruction walks through its depth.
struct Side {
  Value low;
  DescriptorFields fields;
  sm::BufferType type;
  /// The operand is stored along its depth, as rows of X are for a product with the weight matrix and a
  /// transposed weight matrix is; else along its rows or columns.
  bool along_depth;

  int64_t stepBytes(int64_t depth) const {
    return along_depth ? majorStep(type, depth) : mnMajorStep(type, depth);
  }
};

struct MmaLowering : ConvertOpToLLVMPattern<sm::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const sm::AccumulatorType sums = op.getAccumulator().getType();
    if (sums.hasWarps())
      return failure();
    Location location = op.getLoc();
    MLIRContext *context = op.getContext();
    Instructions write(rewriter, location);
    sm::BufferType rows_type = op.getA().getType(), weight_type = op.getB().getType();
    auto start = [&](Value buffer, Value stage, sm::BufferType type) {
      return write.add(write.address(buffer), write.multiply(stage, stageStride(type)));
    };
    Value rows_start = start(adaptor.getA(), adaptor.getAStage(), rows_type);
    Value weight_start = start(adaptor.getB(), adaptor.getBStage(), weight_type);
    // The operand on side M is cut among the warpgroups: rows of A, or columns of B. Those are rows of its
    // stage where it is stored along its depth, and else panels, each of which has the 64 of one.
    const bool transposed = sums.getTransposed(), rows_along_depth = !op.getATransposed(),
               weight_along_depth = op.getBTransposed();
    if (sums.getWarpgroups() > 1) {
      Value warpgroup = warpgroupOfTile(write, op, sums.getWarpgroups());
      Value &cut = transposed ? weight_start : rows_start;
      const sm::BufferType cut_type = transposed ? weight_type : rows_type;
      const bool along_depth = transposed ? weight_along_depth : rows_along_depth;
      const int64_t part_bytes =
          along_depth ? sm::warpgroup_rows * cut_type.getSwizzle() : cut_type.getPanelBytes();
      cut = write.add(cut, write.multiply(warpgroup, part_bytes));
    }
    const DescriptorFields rows_fields =
                               rows_along_depth ? majorDescriptor(rows_type) : mnMajorDescriptor(rows_type),
                           weight_fields = weight_along_depth ? majorDescriptor(weight_type)
                                                              : mnMajorDescriptor(weight_type);
    const Side rows = {lowWord(write, rows_start, rows_fields), rows_fields, rows_type, rows_along_depth};
    Side weights = {lowWord(write, weight_start, weight_fields), weight_fields, weight_type,
                    weight_along_depth};
    if (adaptor.getBeside()) {
      Value distance = write.subtract(write.address(adaptor.getBeside()), write.address(adaptor.getB()));
      weights.low = besidePanels(write, weight_start, weight_fields, distance);
    }
    const Side &m = transposed ? weights : rows, &n = transposed ? rows : weights;

    auto shape =
        NVVM::MMAShapeAttr::get(context, sm::warpgroup_rows, sums.getInstructionWidth(), instruction_depth);
    auto bf16 = NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::bf16);
    auto f32 = NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::f32);
    auto accumulate = NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one);
    auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto sign = NVVM::WGMMAScaleInAttr::get(context, op.getNegate() ? NVVM::WGMMAScaleIn::neg
                                                                    : NVVM::WGMMAScaleIn::one);
    // Layouts are those of an M x depth and of a depth x N matrix.
    auto row = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row);
    auto column = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::col);
    Value sum = adaptor.getAccumulator();
    if (op.getOverwrite())
      sum = LLVM::UndefOp::create(rewriter, location, sum.getType());
    auto overwrite = NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::zero);
    for (int64_t depth = 0; depth < op.getMultipliedDepth(); depth += instruction_depth) {
      auto step = [&](const Side &side) {
        return descriptor(write, write.add(side.low, side.stepBytes(depth) >> 4), side.fields);
      };
      Value m_step = step(m), n_step = step(n);
      sum = NVVM::WgmmaMmaAsyncOp::create(rewriter, location, sum.getType(), sum, m_step, n_step, shape, bf16,
                                          bf16, f32, op.getOverwrite() && depth == 0 ? overwrite : accumulate,
                                          sign, one, m.along_depth ? row : column,
                                          n.along_depth ? column : row, NVVM::MMAIntOverflowAttr());
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};

template <class Op, class Instruction> struct SameLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Instruction>(op);
    return success();
  }
};

struct MmaWaitLowering : ConvertOpToLLVMPattern<sm::MmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::MmaWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(op, op.getPending());
    return success();
  }
};

struct SettleLowering : ConvertOpToLLVMPattern<sm::SettleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::SettleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<sm::SettleOp>(op, adaptor.getAccumulator().getType(),
                                              adaptor.getAccumulator());
    return success();
  }
};

} // namespace

void addProductPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ZeroLowering<sm::ZeroOp>, ZeroLowering<sm::ZeroRowOp>, MmaLowering,
               SameLowering<sm::MmaFenceOp, NVVM::WgmmaFenceAlignedOp>,
               SameLowering<sm::MmaCommitOp, NVVM::WgmmaGroupSyncAlignedOp>, MmaWaitLowering, SettleLowering>(
      types);
}

} // namespace compiler
