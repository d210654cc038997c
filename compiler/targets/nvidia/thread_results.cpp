// Finished sums on their way from a thread's registers straight to memory.
#include "compiler/targets/nvidia/conditional.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// A thread holds two neighbouring columns of a tile in two rows, this far apart.
constexpr std::int64_t rows_between = 8, lanes_per_row = 4, pair_columns = 2;

/// Two neighbouring sums of a thread, as memory takes them.
class Pair {
public:
  Pair(OpBuilder &builder, Location location, ArrayRef<Value> sums, Type element)
      : builder(builder), location(location), sums(sums), element(element) {}

  /// Both in one register, or one vector.
  Value together() const {
    if (element.isBF16())
      return rounded();
    Value pair = LLVM::PoisonOp::create(builder, location, VectorType::get(2, element));
    Instructions write(builder, location);
    for (std::int64_t i : {0, 1})
      pair = LLVM::InsertElementOp::create(builder, location, pair, sums[i], write.constant(i));
    return pair;
  }

  Value alone(std::int64_t i) const {
    if (!element.isBF16())
      return sums[i];
    Value word = rounded();
    return LLVM::TruncOp::create(builder, location, builder.getI16Type(),
                                 i ? Instructions(builder, location).shiftRight(word, 16) : word);
  }

private:
  /// As bf16, to nearest even: the left one in the lower half.
  Value rounded() const {
    auto nearest = NVVM::FPRoundingModeAttr::get(builder.getContext(), NVVM::FPRoundingMode::RN);
    Value pair = NVVM::ConvertF32x2ToBF16x2Op::create(builder, location, VectorType::get(2, element), sums[1],
                                                      sums[0], Value(), nearest);
    return LLVM::BitcastOp::create(builder, location, builder.getI32Type(), pair);
  }

  OpBuilder &builder;
  Location location;
  ArrayRef<Value> sums;
  Type element;
};

struct DeliverLowering : ConvertOpToLLVMPattern<sm::DeliverOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::DeliverOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    sm::AccumulatorType type = op.getAccumulator().getType();
    if (!type.hasWarps())
      return op.emitOpError(
          "delivers sums of warpgroups, which leave through shared memory: lower the epilogue "
          "before");
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    sm::MapsType maps = op.getTarget().getType();
    const std::int64_t element_bytes = maps.getElementType().getIntOrFloatBitWidth() / 8;
    const PlainBlock block(rewriter, location, maps, adaptor.getTarget(), adaptor.getMap(),
                           adaptor.getCoordinates());
    WarpPart part(write, type);
    TileSums tiles(rewriter, location, type, adaptor.getAccumulator());
    Value first_row = write.add(part.firstRow(), write.divide(write.lane(), lanes_per_row));
    Value first_column = write.add(
        part.firstColumn(), write.multiply(write.remainder(write.lane(), lanes_per_row), pair_columns));
    Value row_start = write.advance(
        block.start(), write.addWide(write.multiplyWide(write.wide(first_row), block.rowBytes()),
                                     write.multiplyWide(write.wide(first_column), element_bytes)));
    Value row_step = write.multiplyWide(block.rowBytes(), rows_between);

    // Which columns there are is the same in every row. Vectors of two or more columns are there or not.
    const std::int64_t columns = type.getColumnsOfWarp() / sm::mma_columns;
    const bool in_pairs = maps.getVector() > 1;
    SmallVector<Value> has_left, has_right;
    for (std::int64_t column = 0; column < columns; ++column) {
      Value left = write.add(first_column, column * sm::mma_columns);
      has_left.push_back(block.hasColumn(left));
      if (!in_pairs)
        has_right.push_back(block.hasColumn(write.add(left, 1)));
    }
    for (std::int64_t row = 0; row < type.getRowsOfWarp() / rows_between; ++row) {
      if (row > 0)
        row_start = write.advance(row_start, row_step);
      onlyWhere(rewriter, location, block.hasRow(write.add(first_row, row * rows_between)), [&] {
        for (std::int64_t column = 0; column < columns; ++column) {
          const Pair pair(rewriter, location, tiles.of(row / 2, column).slice(row % 2 * 2, pair_columns),
                          maps.getElementType());
          Value left = write.advance(row_start, column * sm::mma_columns * element_bytes);
          auto store = [&](Value there, Value value, std::int64_t offset, std::int64_t bytes) {
            onlyWhere(rewriter, location, there, [&] {
              LLVM::StoreOp::create(rewriter, location, value, write.advance(left, offset),
                                    static_cast<unsigned>(bytes));
            });
          };
          if (in_pairs) {
            store(has_left[column], pair.together(), 0, pair_columns * element_bytes);
          } else {
            store(has_left[column], pair.alone(0), 0, element_bytes);
            store(has_right[column], pair.alone(1), element_bytes, element_bytes);
          }
        }
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addThreadResultPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<DeliverLowering>(types);
}

} // namespace compiler
