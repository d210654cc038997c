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

constexpr std::int64_t element_bytes = 2;
/// Columns of two tiles, whose operands one ldmatrix reads.
constexpr std::int64_t pair_columns = 2 * sm::mma_columns;

using Registers = SmallVector<Value, 4>;

/// Where each lane reads B from for the columns of two tiles: it names a row of one of four matrices, which
/// stand in the order left tile shallow, left tile deep, right tile shallow, right tile deep.
class BankAddresses {
public:
  BankAddresses(Instructions &write, sm::BufferType type, bool transposed, Value first_column)
      : write(write), transposed(transposed), row(write, type, firstRow(first_column)) {
    if (transposed)
      // Rows of a matrix are columns, its pieces 8 of the depth.
      piece = write.multiply(write.bitAnd(write.divide(write.lane(), matrix_rows), 1), piece_bytes);
    else
      piece = write.add(write.multiply(first_column, element_bytes),
                        write.multiply(write.divide(write.lane(), sm::mma_rows), piece_bytes));
  }

  /// In the slot that starts at `start`, from `depth` and from `column` of the warp's on.
  Value at(Value start, std::int64_t depth, std::int64_t column) const {
    const std::int64_t rows = transposed ? column : depth, within = transposed ? depth : column;
    Value offset = row.at(write.add(piece, within * element_bytes));
    return write.advance(write.advance(start, offset), rows * row.rowBytes());
  }

private:
  static constexpr std::int64_t matrix_rows = 8;

  Value firstRow(Value first_column) const {
    if (!transposed)
      return write.bitAnd(write.lane(), sm::mma_rows - 1);
    Value in_matrix = write.bitAnd(write.lane(), matrix_rows - 1);
    Value tile = write.multiply(write.divide(write.lane(), sm::mma_rows), sm::mma_columns);
    return write.add(first_column, write.add(in_matrix, tile));
  }

  Instructions &write;
  bool transposed;
  PanelRow row;
  Value piece;
};

/// Where each lane reads A from for a fragment of 16 rows: it names a row of one of four matrices, which
/// stand in the order upper rows shallow, lower rows shallow, upper rows deep, lower rows deep.
class RowAddresses {
public:
  RowAddresses(Instructions &write, sm::BufferType type, bool transposed, Value first_row)
      : write(write), transposed(transposed), row(write, type, slotRow(first_row)) {
    if (transposed)
      // Rows of a matrix are the depth, its pieces 8 rows of A.
      piece =
          write.add(write.multiply(first_row, element_bytes),
                    write.multiply(write.bitAnd(write.divide(write.lane(), matrix_rows), 1), piece_bytes));
    else
      piece = write.multiply(write.divide(write.lane(), sm::mma_rows), piece_bytes);
  }

  /// In the slot that starts at `start`, from `depth` and from `row_of_warp` of the warp's on.
  Value at(Value start, std::int64_t depth, std::int64_t row_of_warp) const {
    const std::int64_t rows = transposed ? depth : row_of_warp, within = transposed ? row_of_warp : depth;
    Value offset = row.at(write.add(piece, within * element_bytes));
    return write.advance(write.advance(start, offset), rows * row.rowBytes());
  }

private:
  static constexpr std::int64_t matrix_rows = 8;

  Value slotRow(Value first_row) const {
    if (!transposed)
      return write.add(first_row, write.bitAnd(write.lane(), sm::mma_rows - 1));
    Value deep = write.multiply(write.divide(write.lane(), sm::mma_rows), matrix_rows);
    return write.add(write.bitAnd(write.lane(), matrix_rows - 1), deep);
  }

  Instructions &write;
  bool transposed;
  PanelRow row;
  Value piece;
};

/// Writes the product of one warp's part: rows of A times columns of B.
class WarpProduct {
public:
  /// `sign_bits` (i32) are flipped in every pair of A's elements; null for none.
  WarpProduct(OpBuilder &builder, sm::MmaOp op, sm::MmaOp::Adaptor operands, Value sign_bits)
      : builder(builder), location(op.getLoc()), write(builder, location), a(op.getA().getType()),
        b(op.getB().getType()), sums_type(op.getAccumulator().getType()), a_transposed(op.getATransposed()),
        b_transposed(op.getBTransposed()), multiplied_depth(op.getMultipliedDepth()), sign_bits(sign_bits),
        a_start(slotStart(operands.getA(), operands.getASlot(), a)),
        b_start(slotStart(operands.getB(), operands.getBSlot(), b)) {}

  Value add(Value sums) {
    WarpPart part(write, sums_type);
    const RowAddresses rows(write, a, a_transposed, part.firstRow());
    const BankAddresses bank(write, b, b_transposed, part.firstColumn());

    TileSums tiles(builder, location, sums_type, sums);
    for (std::int64_t depth = 0; depth < multiplied_depth; depth += sm::mma_depth) {
      SmallVector<Registers> fragments;
      for (std::int64_t row = 0; row < sums_type.getRowsOfWarp(); row += sm::mma_rows)
        fragments.push_back(withSign(load(rows.at(a_start, depth, row), 4, a_transposed)));
      for (std::int64_t column = 0; column < sums_type.getColumnsOfWarp(); column += pair_columns) {
        const std::int64_t columns = std::min(pair_columns, sums_type.getColumnsOfWarp() - column);
        // As the instruction wants B, a register holds two of the depth of one column.
        const Registers pair =
            load(bank.at(b_start, depth, column), columns / sm::mma_columns * 2, !b_transposed);
        for (std::int64_t tile = 0; tile < columns / sm::mma_columns; ++tile)
          for (auto [i, fragment] : llvm::enumerate(fragments))
            multiply(fragment, ArrayRef(pair).slice(2 * tile, 2),
                     tiles.of(static_cast<std::int64_t>(i), column / sm::mma_columns + tile));
      }
    }
    return tiles.all();
  }

private:
  Value slotStart(Value buffer, Value slot, sm::BufferType type) {
    return write.advance(buffer, write.multiply(slot, slotStride(type)));
  }

  /// 8 x 8 matrices whose rows begin at the addresses that groups of 8 lanes give.
  Registers load(Value address, std::int64_t matrices, bool transposed) {
    MLIRContext *context = builder.getContext();
    Type word = builder.getI32Type();
    const SmallVector<Type> words(matrices, word);
    Value loaded = NVVM::LdMatrixOp::create(
        builder, location, LLVM::LLVMStructType::getLiteral(context, words), address,
        static_cast<std::uint32_t>(matrices), transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8), NVVM::LdStMatrixEltType::B16);
    Registers registers;
    for (std::int64_t i = 0; i < matrices; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(builder, location, loaded, i));
    return registers;
  }

  Registers withSign(Registers fragment) {
    if (sign_bits)
      for (Value &pair : fragment)
        pair = write.bitXor(pair, sign_bits);
    return fragment;
  }

  void multiply(const Registers &a_fragment, ArrayRef<Value> b_fragment, MutableArrayRef<Value> sums) {
    using Types = std::array<NVVM::MMATypes, 2>;
    using Layouts = std::array<NVVM::MMALayout, 2>;
    const SmallVector<Type> results(sums.size(), builder.getF32Type());
    Value product = NVVM::MmaOp::create(
        builder, location, LLVM::LLVMStructType::getLiteral(builder.getContext(), results), a_fragment,
        b_fragment, sums, {sm::mma_rows, sm::mma_columns, sm::mma_depth}, std::nullopt, std::nullopt,
        Types{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
        Layouts{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(builder, location, product, static_cast<std::int64_t>(i));
  }

  OpBuilder &builder;
  Location location;
  Instructions write;
  sm::BufferType a, b;
  sm::AccumulatorType sums_type;
  bool a_transposed, b_transposed;
  std::int64_t multiplied_depth;
  Value sign_bits;
  Value a_start, b_start;
};

struct WarpMmaLowering : ConvertOpToLLVMPattern<sm::MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::MmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getAccumulator().getType().hasWarps())
      return failure();
    // The sign bits of the two elements that a register holds.
    constexpr std::int64_t both_signs = 0x80008000;
    Instructions write(rewriter, op.getLoc());
    Value sign_bits;
    if (op.getNegate())
      sign_bits = write.constant(both_signs);
    else if (op.getNegateIf())
      sign_bits = write.choose(adaptor.getNegateIf(), write.constant(both_signs), write.constant(0));
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
    const auto count = static_cast<std::int64_t>(cast<LLVM::LLVMStructType>(type).getBody().size());
    for (std::int64_t i = 0; i < count; ++i) {
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
