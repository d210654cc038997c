// Finished sums and the bias of their columns.
#include "compiler/targets/nvidia/bias.h"
#include "compiler/targets/nvidia/lowering_patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

constexpr std::int64_t element_bytes = 2; // bf16

GroupBias::GroupBias(OpBuilder &builder, Location location, sm::BiasType type, Value bias, Value group)
    : builder(builder), location(location), type(type) {
  Instructions write(builder, location);
  start = write.advance(bias, write.multiplyWide(write.wide(group), type.getWidth() * element_bytes));
}

Value GroupBias::of(Value column) const {
  Instructions write(builder, location);
  const std::int64_t last = type.getWidth() - 1;
  Value there = write.choose(write.below(column, last), column, write.constant(last));
  Value bits =
      LLVM::LoadOp::create(builder, location, builder.getI16Type(),
                           write.advance(start, write.multiply(there, element_bytes)), element_bytes);
  Value word = LLVM::ZExtOp::create(builder, location, builder.getI32Type(), bits);
  return LLVM::BitcastOp::create(builder, location, builder.getF32Type(), write.shiftLeft(word, 16));
}

namespace {

/// Sums of a thread in the layout of wgmma's accumulators: of row lane / 4 of the warp, and of the row 8
/// below, two neighbours in every 8 columns; where the sums are transposed, columns in the place of rows.
constexpr std::int64_t lanes_per_row = 4, neighbours = 2, apart = 8, warp_rows = 16;

struct AddBiasLowering : ConvertOpToLLVMPattern<sm::AddBiasOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::AddBiasOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::AccumulatorType type = op.getAccumulator().getType();
    const GroupBias bias(rewriter, location, op.getBias().getType(), adaptor.getBias(), adaptor.getGroup());
    Value sums = adaptor.getAccumulator();
    auto add = [&](std::int64_t position, Value number) {
      Value sum = LLVM::ExtractValueOp::create(rewriter, location, sums, position);
      sum = LLVM::FAddOp::create(rewriter, location, sum, number);
      sums = LLVM::InsertValueOp::create(rewriter, location, sums, sum, position);
    };
    // Position 4 matrix + 2 below + neighbour.
    const std::int64_t matrices = type.getInstructionWidth() / apart;
    if (type.getTransposed()) {
      Value warp = write.shiftRight(write.threadInWarpgroup(), llvm::Log2_64(sm::warp_threads));
      Value first = write.add(adaptor.getColumn(),
                              write.add(write.multiply(warp, warp_rows),
                                        write.shiftRight(write.lane(), llvm::Log2_64(lanes_per_row))));
      for (std::int64_t behind : {0, 1}) {
        Value number = bias.of(write.add(first, behind * apart));
        for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
          for (std::int64_t neighbour = 0; neighbour < neighbours; ++neighbour)
            add(4 * matrix + 2 * behind + neighbour, number);
      }
    } else {
      Value first = write.add(adaptor.getColumn(),
                              write.multiply(write.bitAnd(write.thread(), lanes_per_row - 1), neighbours));
      for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
        for (std::int64_t neighbour = 0; neighbour < neighbours; ++neighbour) {
          Value number = bias.of(write.add(first, matrix * apart + neighbour));
          for (std::int64_t below : {0, 1})
            add(4 * matrix + 2 * below + neighbour, number);
        }
    }
    rewriter.replaceOp(op, sums);
    return success();
  }
};

} // namespace

void addBiasPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<AddBiasLowering>(types);
}

} // namespace compiler
