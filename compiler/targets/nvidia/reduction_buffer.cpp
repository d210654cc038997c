// Sums that blocks of a cluster leave in each other's shared memory, and parts of a partition in their own.
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "dialects/sm/sm.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// Sums that a thread writes and reads at a time: neighbours' lie side by side, so that a warp meets every
/// bank of shared memory equally often.
constexpr int64_t vector_sums = 4, vector_bytes = 4 * vector_sums;
constexpr int64_t row_bytes = sm::warpgroup_threads * vector_bytes;

/// Where this thread's vectors of a warpgroup's first place begin, in this block's shared memory.
Value startOf(Instructions &write, sm::ReductionBufferType type, Value reduction_buffer, Value warpgroup) {
  Value places = write.multiply(warpgroup, (type.getBlocks() - 1) * type.getPlaceBytes());
  return write.advance(write.advance(reduction_buffer, places),
                       write.multiply(write.threadInWarpgroup(), vector_bytes));
}

/// Of the vector that begins with sum `first` of the part that block `sender` has for block `receiver`.
int64_t offsetOf(sm::ReductionBufferType type, int64_t sender, int64_t receiver, int64_t first) {
  return sm::ReductionBufferType::getPlaceOf(sender, receiver) * type.getPlaceBytes() +
         first / vector_sums * row_bytes;
}

/// Four sums of the thread, from the first one on.
Value fourOf(Instructions &write, OpBuilder &builder, Location location, Value sums, int64_t first) {
  Value four = LLVM::PoisonOp::create(builder, location, VectorType::get(vector_sums, builder.getF32Type()));
  for (int64_t i = 0; i < vector_sums; ++i) {
    Value one = LLVM::ExtractValueOp::create(builder, location, sums, first + i);
    four = LLVM::InsertElementOp::create(builder, location, four, one, write.constant(i));
  }
  return four;
}

struct SendLowering : ConvertOpToLLVMPattern<sm::SendOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::SendOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::ReductionBufferType type = op.getReductionBuffer().getType();
    const int64_t sender = op.getRankAttr().getInt();
    Value start = startOf(write, type, adaptor.getReductionBuffer(), adaptor.getWarpgroup());
    for (int64_t receiver = 0; receiver < type.getBlocks(); ++receiver) {
      if (receiver == sender)
        continue;
      Value there =
          NVVM::MapaOp::create(rewriter, location, pointerTo(rewriter.getContext(), Space::ClusterShared),
                               start, write.constant(receiver));
      for (int64_t sum = 0; sum < type.getSums(); sum += vector_sums) {
        Value four =
            fourOf(write, rewriter, location, adaptor.getAccumulator(), receiver * type.getSums() + sum);
        LLVM::StoreOp::create(rewriter, location, four,
                              write.advance(there, offsetOf(type, sender, receiver, sum)), vector_bytes);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AddReceivedLowering : ConvertOpToLLVMPattern<sm::AddReceivedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::AddReceivedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::ReductionBufferType type = op.getReductionBuffer().getType();
    const int64_t receiver = op.getRankAttr().getInt();
    Type vector = VectorType::get(vector_sums, rewriter.getF32Type());
    Value start = startOf(write, type, adaptor.getReductionBuffer(), adaptor.getWarpgroup());
    Value result = LLVM::PoisonOp::create(rewriter, location, typeConverter->convertType(op.getType()));
    for (int64_t sum = 0; sum < type.getSums(); sum += vector_sums) {
      Value total;
      for (int64_t sender = 0; sender < type.getBlocks(); ++sender) {
        Value four;
        if (sender == receiver) {
          four = fourOf(write, rewriter, location, adaptor.getAccumulator(), receiver * type.getSums() + sum);
        } else {
          four =
              LLVM::LoadOp::create(rewriter, location, vector,
                                   write.advance(start, offsetOf(type, sender, receiver, sum)), vector_bytes);
        }
        total = total ? LLVM::FAddOp::create(rewriter, location, total, four).getResult() : four;
      }
      for (int64_t i = 0; i < vector_sums; ++i) {
        Value one = LLVM::ExtractElementOp::create(rewriter, location, total, write.constant(i));
        result = LLVM::InsertValueOp::create(rewriter, location, result, one, sum + i);
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Of the only place, that of the part which leaves its sums for the other.
struct WritePartialLowering : ConvertOpToLLVMPattern<sm::WritePartialOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::WritePartialOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::ReductionBufferType type = op.getReductionBuffer().getType();
    Value start =
        startOf(write, type, adaptor.getReductionBuffer(), warpgroupOfTile(write, op, type.getWarpgroups()));
    for (int64_t sum = 0; sum < type.getSums(); sum += vector_sums)
      LLVM::StoreOp::create(rewriter, location,
                            fourOf(write, rewriter, location, adaptor.getAccumulator(), sum),
                            write.advance(start, offsetOf(type, 0, 1, sum)), vector_bytes);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AddPartialLowering : ConvertOpToLLVMPattern<sm::AddPartialOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::AddPartialOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::ReductionBufferType type = op.getReductionBuffer().getType();
    Type vector = VectorType::get(vector_sums, rewriter.getF32Type());
    Value start =
        startOf(write, type, adaptor.getReductionBuffer(), warpgroupOfTile(write, op, type.getWarpgroups()));
    Value result = LLVM::PoisonOp::create(rewriter, location, typeConverter->convertType(op.getType()));
    for (int64_t sum = 0; sum < type.getSums(); sum += vector_sums) {
      Value left = LLVM::LoadOp::create(rewriter, location, vector,
                                        write.advance(start, offsetOf(type, 0, 1, sum)), vector_bytes);
      Value total = LLVM::FAddOp::create(
          rewriter, location, fourOf(write, rewriter, location, adaptor.getAccumulator(), sum), left);
      for (int64_t i = 0; i < vector_sums; ++i) {
        Value one = LLVM::ExtractElementOp::create(rewriter, location, total, write.constant(i));
        result = LLVM::InsertValueOp::create(rewriter, location, result, one, sum + i);
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void addReductionPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<SendLowering, AddReceivedLowering, WritePartialLowering, AddPartialLowering>(types);
}

} // namespace compiler
