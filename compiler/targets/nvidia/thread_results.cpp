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
/// What a thread reads of a row before it writes: sums of a warpgroup may be 32 pairs, and as many registers
/// more would not be left.
constexpr std::size_t most_pairs_in_flight = 16;

/// Two neighbouring sums of a thread, as memory takes them.
class Pair {
public:
  Pair(OpBuilder &builder, Location location, ArrayRef<Value> sums, Type element)
      : builder(builder), location(location), sums(sums), element(element) {}

  /// The bits that memory holds where the pair goes: of both together, or of each.
  void holds(Value both) {
    Instructions write(builder, location);
    Type word = builder.getI32Type();
    if (element.isBF16()) {
      // The upper half of an f32 is a bf16.
      constexpr std::int64_t upper_half = 0xffff0000;
      held = {asFloat(write.shiftLeft(both, 16)), asFloat(write.bitAnd(both, upper_half))};
      return;
    }
    Value left = LLVM::TruncOp::create(builder, location, word, both);
    Value thirty_two = LLVM::ConstantOp::create(builder, location, both.getType(), 32);
    Value upper = LLVM::LShrOp::create(builder, location, both, thirty_two);
    held = {asFloat(left), asFloat(LLVM::TruncOp::create(builder, location, word, upper))};
  }
  void holds(Value left, Value right) {
    for (Value bits : {left, right}) {
      if (element.isBF16()) {
        Value word = LLVM::ZExtOp::create(builder, location, builder.getI32Type(), bits);
        bits = Instructions(builder, location).shiftLeft(word, 16);
      }
      held.push_back(asFloat(bits));
    }
  }
  /// Adds `beta` times that.
  void addHeld(Value beta) {
    for (auto [sum, value] : llvm::zip_equal(sums, held))
      sum = LLVM::FMulAddOp::create(builder, location, beta, value, sum);
  }

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

  Value asFloat(Value word) const {
    return LLVM::BitcastOp::create(builder, location, builder.getF32Type(), word);
  }

  OpBuilder &builder;
  Location location;
  SmallVector<Value, 2> sums, held;
  Type element;
};

/// Writes the sums of one thread to the block of the result that its tile owns.
class Delivery {
public:
  Delivery(ConversionPatternRewriter &rewriter, sm::DeliverOp op, sm::DeliverOp::Adaptor operands)
      : rewriter(rewriter), location(op.getLoc()), write(rewriter, location),
        type(op.getAccumulator().getType()), element(op.getTarget().getType().getElementType()),
        element_bytes(element.getIntOrFloatBitWidth() / 8),
        in_pairs(op.getTarget().getType().getVector() > 1),
        block(rewriter, location, op.getTarget().getType(), operands.getTarget(), operands.getMap(),
              operands.getCoordinates()),
        tiles(rewriter, location, type, operands.getAccumulator()) {
    WarpPart part(write, type, op);
    first_row = write.add(part.firstRow(), write.divide(write.lane(), lanes_per_row));
    Value first_column = write.add(
        part.firstColumn(), write.multiply(write.remainder(write.lane(), lanes_per_row), pair_columns));
    if (block.isListed()) {
      column_bytes = write.multiply(first_column, element_bytes);
    } else {
      first_start = write.advance(block.start(),
                                  write.addWide(write.multiplyWide(write.wide(first_row), block.rowBytes()),
                                                write.multiplyWide(write.wide(first_column), element_bytes)));
      row_step = write.multiplyWide(block.rowBytes(), rows_between);
    }
    // Which columns there are is the same in every row. Vectors of two or more columns are there or not.
    for (std::int64_t column = 0; column < type.getColumnsOfWarp() / sm::mma_columns; ++column) {
      Value left = write.add(first_column, column * sm::mma_columns);
      has_left.push_back(block.hasColumn(left));
      has_right.push_back(in_pairs ? Value() : block.hasColumn(write.add(left, 1)));
    }
  }

  /// All rows of this thread, plus `beta` times what is there where it is given.
  void rows(Value beta) {
    Value row_start = first_start;
    for (std::int64_t row = 0; row < type.getRowsOfWarp() / rows_between; ++row) {
      Value number = write.add(first_row, row * rows_between);
      if (row > 0 && !block.isListed())
        row_start = write.advance(row_start, row_step);
      onlyWhere(rewriter, location, block.hasRow(number), [&] {
        if (block.isListed())
          row_start = write.advance(block.rowStart(number), column_bytes);
        for (std::size_t first = 0; first < has_left.size(); first += most_pairs_in_flight)
          pairsFrom(first, row, row_start, beta);
      });
    }
  }

private:
  /// Some pairs of a row, from one on. Every load of them is under way before the first store.
  void pairsFrom(std::size_t first, std::int64_t row, Value row_start, Value beta) {
    SmallVector<Pair> pairs;
    const std::size_t end = std::min(first + most_pairs_in_flight, has_left.size());
    for (std::size_t column = first; column < end; ++column) {
      pairs.emplace_back(
          rewriter, location,
          tiles.of(row / 2, static_cast<std::int64_t>(column)).slice(row % 2 * 2, pair_columns), element);
      if (beta)
        load(pairs.back(), addressOf(row_start, column), column);
    }
    for (auto [behind, pair] : llvm::enumerate(pairs)) {
      const std::size_t column = first + behind;
      if (beta)
        pair.addHeld(beta);
      store(pair, addressOf(row_start, column), column);
    }
  }

  Value addressOf(Value row_start, std::size_t column) {
    return write.advance(row_start, static_cast<std::int64_t>(column) * sm::mma_columns * element_bytes);
  }

  void load(Pair &pair, Value left, std::size_t column) {
    auto loadBits = [&](Value there, std::int64_t offset, std::int64_t bytes) {
      return loadWhere(rewriter, location, there, write.advance(left, offset),
                       rewriter.getIntegerType(static_cast<unsigned>(8 * bytes)));
    };
    if (in_pairs)
      return pair.holds(loadBits(has_left[column], 0, pair_columns * element_bytes));
    pair.holds(loadBits(has_left[column], 0, element_bytes),
               loadBits(has_right[column], element_bytes, element_bytes));
  }

  void store(const Pair &pair, Value left, std::size_t column) {
    auto storeBits = [&](Value there, Value value, std::int64_t offset, std::int64_t bytes) {
      onlyWhere(rewriter, location, there, [&] {
        LLVM::StoreOp::create(rewriter, location, value, write.advance(left, offset),
                              static_cast<unsigned>(bytes));
      });
    };
    if (in_pairs)
      return storeBits(has_left[column], pair.together(), 0, pair_columns * element_bytes);
    storeBits(has_left[column], pair.alone(0), 0, element_bytes);
    storeBits(has_right[column], pair.alone(1), element_bytes, element_bytes);
  }

  ConversionPatternRewriter &rewriter;
  Location location;
  Instructions write;
  sm::AccumulatorType type;
  Type element;
  std::int64_t element_bytes;
  bool in_pairs;
  PlainBlock block;
  TileSums tiles;
  Value first_row;
  Value column_bytes;          ///< of listed rows
  Value first_start, row_step; ///< of rows at one distance
  SmallVector<Value> has_left, has_right;
};

struct DeliverLowering : ConvertOpToLLVMPattern<sm::DeliverOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::DeliverOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getTarget().getType().isPlain())
      return op.emitOpError(
          "delivers through tensor maps, by way of shared memory: lower the epilogue before");
    Location location = op.getLoc();
    Delivery delivery(rewriter, op, adaptor);
    if (Value beta = adaptor.getBeta()) {
      Value zero = LLVM::ConstantOp::create(rewriter, location, rewriter.getF32FloatAttr(0));
      auto compare = [&](LLVM::FCmpPredicate predicate) -> Value {
        return LLVM::FCmpOp::create(rewriter, location, predicate, beta, zero);
      };
      Value adds = compare(LLVM::FCmpPredicate::une), writes = compare(LLVM::FCmpPredicate::oeq);
      onlyWhere(rewriter, location, adds, [&] { delivery.rows(beta); });
      onlyWhere(rewriter, location, writes, [&] { delivery.rows(Value()); });
    } else {
      delivery.rows(Value());
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
