// Rows that go from one product to the next in the registers of their warpgroup.
#include "compiler/targets/nvidia/descriptor.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// Sums that a thread has of every 8 columns, and words of a fragment of every 16.
constexpr int64_t sums_of_piece = 4, words_of_step = 4;

/// A thread's sums of two pieces of 8 columns are, in pairs, the words of a fragment: of a row, of the row 8
/// below, and the same of the second piece (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16").
struct FragmentLowering : ConvertOpToLLVMPattern<sm::FragmentOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::FragmentOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    auto round = NVVM::FPRoundingModeAttr::get(op.getContext(), NVVM::FPRoundingMode::RN);
    Type pair = VectorType::get(2, rewriter.getBF16Type());
    auto sum = [&](int64_t position) -> Value {
      return LLVM::ExtractValueOp::create(rewriter, location, adaptor.getAccumulator(), position);
    };
    Value fragment = LLVM::PoisonOp::create(rewriter, location, typeConverter->convertType(op.getType()));
    for (int64_t word = 0; word < op.getType().getWords(); ++word) {
      Value both = NVVM::ConvertF32x2ToBF16x2Op::create(rewriter, location, pair, sum(2 * word + 1),
                                                        sum(2 * word), Value(), round);
      Value bits = LLVM::BitcastOp::create(rewriter, location, rewriter.getI32Type(), both);
      fragment = LLVM::InsertValueOp::create(rewriter, location, fragment, bits, word);
    }
    rewriter.replaceOp(op, fragment);
    return success();
  }
};

/// Columns of sums are consecutive registers.
struct TakeColumnsLowering : ConvertOpToLLVMPattern<sm::TakeColumnsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::TakeColumnsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    const auto registers = [](int64_t columns) { return columns / sm::mma_columns * sums_of_piece; };
    const int64_t first = registers(op.getFromAttr().getInt()),
                  count = registers(op.getColumns().getType().getInstructionWidth());
    Value taken = LLVM::PoisonOp::create(rewriter, location, typeConverter->convertType(op.getType()));
    for (int64_t position = 0; position < count; ++position) {
      Value sum =
          LLVM::ExtractValueOp::create(rewriter, location, adaptor.getAccumulator(), first + position);
      taken = LLVM::InsertValueOp::create(rewriter, location, taken, sum, position);
    }
    rewriter.replaceOp(op, taken);
    return success();
  }
};

struct ClipColumnsLowering : ConvertOpToLLVMPattern<sm::ClipColumnsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ClipColumnsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    const int64_t first = op.getNarrowColumnsAttr().getInt() / sm::mma_columns * sums_of_piece,
                  end = op.getResult().getType().getInstructionWidth() / sm::mma_columns * sums_of_piece;
    Value zero = LLVM::ConstantOp::create(rewriter, location, rewriter.getF32FloatAttr(0));
    Value clipped = adaptor.getAccumulator();
    for (int64_t position = first; position < end; ++position) {
      Value sum = LLVM::ExtractValueOp::create(rewriter, location, adaptor.getAccumulator(), position);
      Value chosen = LLVM::SelectOp::create(rewriter, location, adaptor.getNarrow(), zero, sum);
      clipped = LLVM::InsertValueOp::create(rewriter, location, clipped, chosen, position);
    }
    rewriter.replaceOp(op, clipped);
    return success();
  }
};

struct MmaFragmentLowering : ConvertOpToLLVMPattern<sm::MmaFragmentOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::MmaFragmentOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::BufferType type = op.getB().getType();
    const DescriptorFields fields = mnMajorDescriptor(type);
    Value start =
        write.add(write.address(adaptor.getB()), write.multiply(adaptor.getBStage(), stageStride(type)));
    Value low = lowWord(write, start, fields), sums = adaptor.getAccumulator();
    for (int64_t depth = 0; depth < op.getMultipliedDepth(); depth += instruction_depth) {
      auto word = [&](int64_t number) -> Value {
        return LLVM::ExtractValueOp::create(rewriter, location, adaptor.getRows(),
                                            depth / instruction_depth * words_of_step + number);
      };
      Value b = descriptor(write, write.add(low, mnMajorStep(type, depth) >> 4), fields);
      sums = sm::WgmmaFromRegistersOp::create(rewriter, location, sums.getType(), sums, word(0), word(1),
                                              word(2), word(3), b);
    }
    rewriter.replaceOp(op, sums);
    return success();
  }
};

} // namespace

void addFragmentPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<FragmentLowering, TakeColumnsLowering, ClipColumnsLowering, MmaFragmentLowering>(types);
}

} // namespace compiler
