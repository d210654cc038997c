// Products whose sums single warps hold: mma.sync on fragments that ldmatrix reads.
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/panel_offset.h"
#include "compiler/targets/nvidia/shared_memory.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t fragment_bytes = 2;
/// Columns of two tiles, whose operands one ldmatrix reads.
constexpr int64_t columns_of_pair = 2 * sm::mma_columns;

using Registers = SmallVector<Value, 4>;

/// Where each lane reads B from for the columns of two tiles: it names a row of one of four matrices, which
/// stand in the order left tile shallow, left tile deep, right tile shallow, right tile deep.
class WeightAddresses {
public:
  WeightAddresses(Instructions &write, sm::BufferType type, bool transposed, Value first_column)
      : write_(write), transposed_(transposed), row_(write, type, firstRow(first_column)) {
    if (transposed)
      // Rows of a matrix are columns, its pieces 8 of the depth.
      piece_ = write.multiply(write.bitAnd(write.divide(write.lane(), matrix_rows), 1), piece_bytes);
    else
      piece_ = write.add(write.multiply(first_column, fragment_bytes),
                         write.multiply(write.divide(write.lane(), sm::mma_rows), piece_bytes));
  }

  /// In the stage that starts at `start`, from `depth` and from `column` of the warp's on.
  Value at(Value start, int64_t depth, int64_t column) const {
    const int64_t rows = transposed_ ? column : depth, within = transposed_ ? depth : column;
    Value offset = row_.at(write_.add(piece_, within * fragment_bytes));
    return write_.advance(write_.advance(start, offset), rows * row_.rowBytes());
  }

private:
  static constexpr int64_t matrix_rows = 8;

  Value firstRow(Value first_column) const {
    if (!transposed_)
      return write_.bitAnd(write_.lane(), sm::mma_rows - 1);
    Value in_matrix = write_.bitAnd(write_.lane(), matrix_rows - 1);
    Value tile = write_.multiply(write_.divide(write_.lane(), sm::mma_rows), sm::mma_columns);
    return write_.add(first_column, write_.add(in_matrix, tile));
  }

  Instructions &write_;
  bool transposed_;
  PanelRow row_;
  Value piece_;
};

/// Where each lane reads A from for a fragment of 16 rows: it names a row of one of four matrices, which
/// stand in the order upper rows shallow, lower rows shallow, upper rows deep, lower rows deep.
class RowAddresses {
public:
  RowAddresses(Instructions &write, sm::BufferType type, bool transposed, Value first_row)
      : write_(write), transposed_(transposed), row_(write, type, stageRow(first_row)) {
    if (transposed)
      // Rows of a matrix are the depth, its pieces 8 rows of A.
      piece_ =
          write.add(write.multiply(first_row, fragment_bytes),
                    write.multiply(write.bitAnd(write.divide(write.lane(), matrix_rows), 1), piece_bytes));
    else
      piece_ = write.multiply(write.divide(write.lane(), sm::mma_rows), piece_bytes);
  }

  /// In the stage that starts at `start`, from `depth` and from `row_of_warp` of the warp's on.
  Value at(Value start, int64_t depth, int64_t row_of_warp) const {
    const int64_t rows = transposed_ ? depth : row_of_warp, within = transposed_ ? row_of_warp : depth;
    Value offset = row_.at(write_.add(piece_, within * fragment_bytes));
    return write_.advance(write_.advance(start, offset), rows * row_.rowBytes());
  }

private:
  static constexpr int64_t matrix_rows = 8;

  Value stageRow(Value first_row) const {
    if (!transposed_)
      return write_.add(first_row, write_.bitAnd(write_.lane(), sm::mma_rows - 1));
    Value deep = write_.multiply(write_.divide(write_.lane(), sm::mma_rows), matrix_rows);
    return write_.add(write_.bitAnd(write_.lane(), matrix_rows - 1), deep);
  }

  Instructions &write_;
  bool transposed_;
  PanelRow row_;
  Value piece_;
};

/// Writes the product of one warp's part: rows of A times columns of B.
class WarpProduct {
public:
  /// `sign_bits` (i32) are flipped in every pair of A's elements; null for none.
  WarpProduct(OpBuilder &builder, sm::MmaOp op, sm::MmaOp::Adaptor operands, Value sign_bits)
      : builder_(builder), location_(op.getLoc()), write_(builder, location_), a_(op.getA().getType()),
        b_(op.getB().getType()), sums_type_(op.getAccumulator().getType()),
        a_transposed_(op.getATransposed()), b_transposed_(op.getBTransposed()),
        multiplied_depth_(op.getMultipliedDepth()), sign_bits_(sign_bits),
        a_start_(stageStart(operands.getA(), operands.getAStage(), a_)),
        b_start_(stageStart(operands.getB(), operands.getBStage(), b_)) {}

  Value add(Value sums) {
    WarpPart part(write_, sums_type_);
    const RowAddresses rows(write_, a_, a_transposed_, part.firstRow());
    const WeightAddresses weights(write_, b_, b_transposed_, part.firstColumn());

    TileSums tiles(builder_, location_, sums_type_, sums);
    for (int64_t depth = 0; depth < multiplied_depth_; depth += sm::mma_depth) {
      SmallVector<Registers> fragments;
      for (int64_t row = 0; row < sums_type_.getRowsOfWarp(); row += sm::mma_rows)
        fragments.push_back(withSign(load(rows.at(a_start_, depth, row), 4, a_transposed_)));
      for (int64_t column = 0; column < sums_type_.getColumnsOfWarp(); column += columns_of_pair) {
        const int64_t columns = std::min(columns_of_pair, sums_type_.getColumnsOfWarp() - column);
        // As the instruction wants B, a register holds two of the depth of one column.
        const Registers pair =
            load(weights.at(b_start_, depth, column), columns / sm::mma_columns * 2, !b_transposed_);
        for (int64_t tile = 0; tile < columns / sm::mma_columns; ++tile)
          for (auto [i, fragment] : llvm::enumerate(fragments))
            multiply(fragment, ArrayRef(pair).slice(2 * tile, 2),
                     tiles.of(static_cast<int64_t>(i), column / sm::mma_columns + tile));
      }
    }
    return tiles.all();
  }

private:
  Value stageStart(Value buffer, Value stage, sm::BufferType type) {
    return write_.advance(buffer, write_.multiply(stage, stageStride(type)));
  }

  /// 8 x 8 matrices whose rows begin at the addresses that groups of 8 lanes give.
  Registers load(Value address, int64_t matrices, bool transposed) {
    MLIRContext *context = builder_.getContext();
    Type word = builder_.getI32Type();
    const SmallVector<Type> words(matrices, word);
    Value loaded = NVVM::LdMatrixOp::create(
        builder_, location_, LLVM::LLVMStructType::getLiteral(context, words), address,
        static_cast<uint32_t>(matrices), transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8), NVVM::LdStMatrixEltType::B16);
    Registers registers;
    for (int64_t i = 0; i < matrices; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(builder_, location_, loaded, i));
    return registers;
  }

  Registers withSign(Registers fragment) {
    if (sign_bits_)
      for (Value &pair : fragment)
        pair = write_.bitXor(pair, sign_bits_);
    return fragment;
  }

  void multiply(const Registers &a_fragment, ArrayRef<Value> b_fragment, MutableArrayRef<Value> sums) {
    using Types = std::array<NVVM::MMATypes, 2>;
    using Layouts = std::array<NVVM::MMALayout, 2>;
    const SmallVector<Type> results(sums.size(), builder_.getF32Type());
    Value product = NVVM::MmaOp::create(
        builder_, location_, LLVM::LLVMStructType::getLiteral(builder_.getContext(), results), a_fragment,
        b_fragment, sums, {sm::mma_rows, sm::mma_columns, sm::mma_depth}, std::nullopt, std::nullopt,
        Types{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
        Layouts{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(builder_, location_, product, static_cast<int64_t>(i));
  }

  OpBuilder &builder_;
  Location location_;
  Instructions write_;
  sm::BufferType a_, b_;
  sm::AccumulatorType sums_type_;
  bool a_transposed_, b_transposed_;
  int64_t multiplied_depth_;
  Value sign_bits_;
  Value a_start_, b_start_;
};

struct WarpMmaLowering : ConvertOpToLLVMPattern<sm::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getAccumulator().getType().hasWarps())
      return failure();
    // The sign bits of the two elements that a register holds.
    constexpr int64_t both_signs = 0x80008000;
    Instructions write(rewriter, op.getLoc());
    Value sign_bits;
    if (op.getNegate())
      sign_bits = write.constant(both_signs);
    else if (op.getNegateIf())
      sign_bits = write.select(adaptor.getNegateIf(), both_signs, 0);
    rewriter.replaceOp(op, WarpProduct(rewriter, op, adaptor, sign_bits).add(adaptor.getAccumulator()));
    return success();
  }
};

struct AddScaledLowering : ConvertOpToLLVMPattern<sm::AddScaledOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::AddScaledOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Type type = typeConverter->convertType(op.getType());
    Value result = LLVM::PoisonOp::create(rewriter, location, type);
    const auto count = static_cast<int64_t>(cast<LLVM::LLVMStructType>(type).getBody().size());
    for (int64_t i = 0; i < count; ++i) {
      auto of = [&](Value sums) { return LLVM::ExtractValueOp::create(rewriter, location, sums, i); };
      Value sum = LLVM::FMulAddOp::create(rewriter, location, of(adaptor.getPartial()),
                                          adaptor.getCoefficient(), of(adaptor.getTotal()));
      result = LLVM::InsertValueOp::create(rewriter, location, result, sum, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void addWarpProductPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<WarpMmaLowering, AddScaledLowering>(types);
}

} // namespace compiler
