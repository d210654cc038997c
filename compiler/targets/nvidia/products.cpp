// Products of warpgroups on the tensor cores.
#include "compiler/targets/nvidia/descriptor.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// The low word of the descriptor of an operand that starts at `address` (32 bits): the one that changes from
/// instruction to instruction. The mask keeps the address inside its field.
Value lowWord(Instructions &write, Value address, const DescriptorFields &fields) {
  constexpr std::int64_t address_mask = 0x3fff;
  return write.bitOr(write.bitAnd(write.shiftRight(address, 4), address_mask), fields.low());
}

Value descriptor(OpBuilder &builder, Location location, Value low, const DescriptorFields &fields) {
  Type i64 = builder.getI64Type();
  Value high = LLVM::ConstantOp::create(
      builder, location, i64,
      builder.getI64IntegerAttr(static_cast<std::int64_t>(std::uint64_t{fields.high()} << 32)));
  return LLVM::OrOp::create(builder, location, LLVM::ZExtOp::create(builder, location, i64, low), high);
}

struct ZeroLowering : ConvertOpToLLVMPattern<sm::ZeroOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ZeroOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, typeConverter->convertType(op.getType()));
    return success();
  }
};

struct MmaLowering : ConvertOpToLLVMPattern<sm::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getAccumulator().getType().hasWarps())
      return failure();
    Location location = op.getLoc();
    MLIRContext *context = op.getContext();
    Instructions write(rewriter, location);
    sm::BufferType a = op.getA().getType(), b = op.getB().getType();
    auto start = [&](Value buffer, Value slot, sm::BufferType type) {
      return write.add(write.address(buffer), write.multiply(slot, slotStride(type)));
    };
    Value a_start = start(adaptor.getA(), adaptor.getASlot(), a);
    if (a.getRows() > sm::warpgroup_rows) {
      const auto first = op->getAttrOfType<IntegerAttr>(first_warpgroup_name).getInt();
      Value warpgroup = write.subtract(write.warpgroup(), first);
      a_start = write.add(a_start, write.multiply(warpgroup, sm::warpgroup_rows * a.getSwizzle()));
    }
    const DescriptorFields a_fields = kMajorDescriptor(a), b_fields = mnMajorDescriptor(b);
    Value a_low = lowWord(write, a_start, a_fields);
    Value b_low = lowWord(write, start(adaptor.getB(), adaptor.getBSlot(), b), b_fields);

    const std::int64_t columns = op.getAccumulator().getType().getColumns();
    auto shape = NVVM::MMAShapeAttr::get(context, sm::warpgroup_rows, columns, instruction_depth);
    auto bf16 = NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::bf16);
    auto f32 = NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::f32);
    auto accumulate = NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one);
    auto one = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto sign = NVVM::WGMMAScaleInAttr::get(context, op.getNegate() ? NVVM::WGMMAScaleIn::neg
                                                                    : NVVM::WGMMAScaleIn::one);
    // Both operands are stored row by row: A along its depth, B along its columns.
    auto row_major = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row);
    Value sum = adaptor.getAccumulator();
    for (std::int64_t depth = 0; depth < op.getMultipliedDepth(); depth += instruction_depth) {
      auto step = [&](Value low, std::int64_t bytes, const DescriptorFields &fields) {
        return descriptor(rewriter, location, write.add(low, bytes >> 4), fields);
      };
      sum = NVVM::WgmmaMmaAsyncOp::create(
          rewriter, location, sum.getType(), sum, step(a_low, kMajorStep(a, depth), a_fields),
          step(b_low, mnMajorStep(b, depth), b_fields), shape, bf16, bf16, f32, accumulate, sign, one,
          row_major, row_major, NVVM::MMAIntOverflowAttr());
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
  patterns.add<ZeroLowering, MmaLowering, SameLowering<sm::MmaFenceOp, NVVM::WgmmaFenceAlignedOp>,
               SameLowering<sm::MmaCommitOp, NVVM::WgmmaGroupSyncAlignedOp>, MmaWaitLowering, SettleLowering>(
      types);
}

} // namespace compiler
