// Products of single rows with the weight matrix, both read straight into registers.
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "compiler/targets/nvidia/row_registers.h"
#include "compiler/targets/nvidia/thread_elements.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t bf16_bytes = 2;

/// Whether a launch gives an address, the op's only operand.
template <typename Op> struct IsGivenLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value address = adaptor.getOperands().front();
    Value none = LLVM::ZeroOp::create(rewriter, op.getLoc(), address.getType());
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne, address, none);
    return success();
  }
};
using HasPositionsLowering = IsGivenLowering<sm::HasPositionsOp>;
using HasExpertRowsLowering = IsGivenLowering<sm::HasExpertRowsOp>;

struct ReadPositionLowering : ConvertOpToLLVMPattern<sm::ReadPositionOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ReadPositionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    const unsigned bytes = op.getType().getIntOrFloatBitWidth() / 8;
    Value address =
        write.advance(adaptor.getPositions(), write.multiply(write.wide(adaptor.getRow()), bytes));
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getType(), address, bytes);
    return success();
  }
};

/// One of int32 numbers that lie side by side: their address is the op's first operand, the number's place
/// its second.
template <typename Op> struct ReadNumberLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    constexpr unsigned bytes = 4;
    Value address = write.advance(adaptor.getOperands().front(),
                                  write.multiply(write.wide(adaptor.getOperands().back()), bytes));
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getType(), address, bytes);
    return success();
  }
};
using ReadExpertStartLowering = ReadNumberLowering<sm::ReadExpertStartOp>;
using ReadExpertRowLowering = ReadNumberLowering<sm::ReadExpertRowOp>;

struct LocateLowering : ConvertOpToLLVMPattern<sm::LocateOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::LocateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const PlainBlock block(rewriter, op.getLoc(), op.getSource().getType(), adaptor.getSource(),
                           adaptor.getMap(), adaptor.getCoordinates());
    rewriter.replaceOp(op, structOf(rewriter, op.getLoc(), {block.start(), block.rowBytes()}));
    return success();
  }
};

/// A view, taken apart.
struct ViewParts {
  ViewParts(OpBuilder &builder, Location location, Value view)
      : start(LLVM::ExtractValueOp::create(builder, location, view, int64_t{0})),
        row_bytes(LLVM::ExtractValueOp::create(builder, location, view, int64_t{1})) {}
  Value start, row_bytes;
};

struct PrefetchLowering : ConvertOpToLLVMPattern<sm::PrefetchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::PrefetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    const ViewParts view(rewriter, op.getLoc(), adaptor.getView());
    Value row = write.advance(view.start, write.multiply(write.wide(adaptor.getRow()), view.row_bytes));
    const auto level = NVVM::PrefetchCacheLevelAttr::get(rewriter.getContext(), NVVM::PrefetchCacheLevel::L2);
    NVVM::PrefetchOp::create(rewriter, op.getLoc(), level, /*evictPriority=*/{}, row, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadLowering : ConvertOpToLLVMPattern<sm::ReadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ReadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::PieceType piece = op.getPiece().getType();
    const bool of_weights = op.getView().getType().getMaps().getRowDimension() == 2;
    const ViewParts view(rewriter, location, adaptor.getView());
    const Type type = vectorOf(piece);
    const int64_t vector = piece.getVector(), whole = op.getWholeAttr().getInt(),
                  step = of_weights ? 1 : vector, depth = step * piece.getVectors();
    // What of a piece is there: behind the end the last vectors are read again, and count for nothing.
    SmallVector<Value> vectors, present;
    for (int64_t i = 0; i < depth; i += step) {
      Value place = write.add(adaptor.getDepth(), i);
      // Of the last piece there is so much.
      present.push_back(i < (whole - 1) % depth + 1 ? Value() : write.below(place, whole));
      if (present.back())
        place = write.select(present.back(), place, write.constant(whole - vector + i % vector));
      Value bytes = of_weights ? write.multiply(write.wide(place), view.row_bytes)
                               : write.multiply(write.wide(place), bf16_bytes);
      vectors.push_back(LLVM::LoadOp::create(rewriter, location, type, write.advance(view.start, bytes),
                                             static_cast<unsigned>(vector * bf16_bytes),
                                             /*isVolatile=*/false, /*isNonTemporal=*/false,
                                             /*isInvariant=*/of_weights));
    }
    for (auto [read, there] : llvm::zip_equal(vectors, present))
      if (there)
        read = write.select(there, read, LLVM::ZeroOp::create(rewriter, location, type));
    rewriter.replaceOp(op, structOf(rewriter, location, vectors));
    return success();
  }
};

struct AddProductsLowering : ConvertOpToLLVMPattern<sm::AddProductsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::AddProductsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    const sm::PieceType numbers = op.getNumbers().getType();
    const int64_t columns = op.getSums().getType().getVector();
    SmallVector<Value> sums;
    for (int64_t column = 0; column < columns; ++column)
      sums.push_back(LLVM::ExtractValueOp::create(rewriter, location, adaptor.getSums(), column));
    for (int64_t depth = 0; depth < numbers.getColumns(); ++depth) {
      Value number = element(rewriter, location, adaptor.getNumbers(), numbers, depth);
      if (Value coefficient = adaptor.getCoefficient())
        number = LLVM::FMulOp::create(rewriter, location, number, coefficient);
      for (auto [column, sum] : llvm::enumerate(sums)) {
        Value weight = element(rewriter, location, adaptor.getWeights(), op.getWeights().getType(),
                               depth * columns + static_cast<int64_t>(column));
        sum = LLVM::FMulAddOp::create(rewriter, location, number, weight, sum);
      }
    }
    rewriter.replaceOp(op, structOf(rewriter, location, sums));
    return success();
  }

private:
  /// One of a piece's elements as f32: a bf16 is the upper half of one.
  static Value element(OpBuilder &builder, Location location, Value piece, sm::PieceType type,
                       int64_t index) {
    Instructions write(builder, location);
    const int64_t vector = type.getVector(), within = index % vector;
    Value word = LLVM::ExtractValueOp::create(builder, location, piece, index / vector);
    if (vector == 1)
      word = LLVM::ZExtOp::create(builder, location, builder.getI32Type(), word);
    if (vector > 2)
      word = LLVM::ExtractElementOp::create(builder, location, word, write.constant(within / 2));
    constexpr int64_t upper_half = 0xffff0000;
    word = within % 2 == 0 ? write.shiftLeft(word, 16) : write.bitAnd(word, upper_half);
    return LLVM::BitcastOp::create(builder, location, builder.getF32Type(), word);
  }
};

} // namespace

void addRowProductPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<HasPositionsLowering, ReadPositionLowering, ReadExpertStartLowering, HasExpertRowsLowering,
               ReadExpertRowLowering, LocateLowering, PrefetchLowering, ReadLowering, AddProductsLowering>(
      types);
}

} // namespace compiler
