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
constexpr int64_t rows_between = 8, lanes_per_row = 4, pair_columns = 2;
/// What a thread reads of a row before it writes: sums of a warpgroup may be 32 pairs, and as many registers
/// more would not be left.
constexpr size_t most_pairs_in_flight = 16;

/// Two neighbouring sums of a thread, as memory takes them.
class Pair {
public:
  Pair(OpBuilder &builder, Location location, ArrayRef<Value> sums, Type element)
      : builder_(builder), location_(location), sums_(sums), element_(element) {}

  /// The bits that memory holds where the pair goes: of both together, or of each.
  void holds(Value both) {
    Instructions write(builder_, location_);
    Type word = builder_.getI32Type();
    if (element_.isBF16()) {
      // The upper half of an f32 is a bf16.
      constexpr int64_t upper_half = 0xffff0000;
      held_ = {asFloat(write.shiftLeft(both, 16)), asFloat(write.bitAnd(both, upper_half))};
      return;
    }
    Value left = LLVM::TruncOp::create(builder_, location_, word, both);
    Value thirty_two = LLVM::ConstantOp::create(builder_, location_, both.getType(), 32);
    Value upper = LLVM::LShrOp::create(builder_, location_, both, thirty_two);
    held_ = {asFloat(left), asFloat(LLVM::TruncOp::create(builder_, location_, word, upper))};
  }
  void holds(Value left, Value right) {
    for (Value bits : {left, right}) {
      if (element_.isBF16()) {
        Value word = LLVM::ZExtOp::create(builder_, location_, builder_.getI32Type(), bits);
        bits = Instructions(builder_, location_).shiftLeft(word, 16);
      }
      held_.push_back(asFloat(bits));
    }
  }
  /// Adds `beta` times that.
  void addHeld(Value beta) {
    for (auto [sum, value] : llvm::zip_equal(sums_, held_))
      sum = LLVM::FMulAddOp::create(builder_, location_, beta, value, sum);
  }

  /// Both in one register, or one vector.
  Value together() const {
    if (element_.isBF16())
      return rounded();
    Value pair = LLVM::PoisonOp::create(builder_, location_, VectorType::get(2, element_));
    Instructions write(builder_, location_);
    for (int64_t i : {0, 1})
      pair = LLVM::InsertElementOp::create(builder_, location_, pair, sums_[i], write.constant(i));
    return pair;
  }

  Value alone(int64_t i) const {
    if (!element_.isBF16())
      return sums_[i];
    Value word = rounded();
    return LLVM::TruncOp::create(builder_, location_, builder_.getI16Type(),
                                 i ? Instructions(builder_, location_).shiftRight(word, 16) : word);
  }

private:
  /// As bf16, to nearest even: the left one in the lower half.
  Value rounded() const {
    auto nearest = NVVM::FPRoundingModeAttr::get(builder_.getContext(), NVVM::FPRoundingMode::RN);
    Value pair = NVVM::ConvertF32x2ToBF16x2Op::create(builder_, location_, VectorType::get(2, element_),
                                                      sums_[1], sums_[0], Value(), nearest);
    return LLVM::BitcastOp::create(builder_, location_, builder_.getI32Type(), pair);
  }

  Value asFloat(Value word) const {
    return LLVM::BitcastOp::create(builder_, location_, builder_.getF32Type(), word);
  }

  OpBuilder &builder_;
  Location location_;
  SmallVector<Value, 2> sums_, held_;
  Type element_;
};

/// Writes the sums of one thread to the block of the result that its tile owns.
class ResultStore {
public:
  ResultStore(ConversionPatternRewriter &rewriter, sm::StoreSumsOp op, sm::StoreSumsOp::Adaptor operands)
      : rewriter_(rewriter), location_(op.getLoc()), write_(rewriter, location_),
        type_(op.getAccumulator().getType()), element_(op.getTarget().getType().getElementType()),
        element_bytes_(element_.getIntOrFloatBitWidth() / 8),
        in_pairs_(op.getTarget().getType().getVector() > 1),
        block_(rewriter, location_, op.getTarget().getType(), operands.getTarget(), operands.getMap(),
               operands.getCoordinates()),
        tiles_(rewriter, location_, type_, operands.getAccumulator()) {
    WarpPart part(write_, type_, op);
    first_row_ = write_.add(part.firstRow(), write_.divide(write_.lane(), lanes_per_row));
    Value first_column = write_.add(
        part.firstColumn(), write_.multiply(write_.remainder(write_.lane(), lanes_per_row), pair_columns));
    if (block_.isListed()) {
      column_bytes_ = write_.multiply(first_column, element_bytes_);
    } else {
      first_start_ = write_.advance(
          block_.start(), write_.addWide(write_.multiplyWide(write_.wide(first_row_), block_.rowBytes()),
                                         write_.multiplyWide(write_.wide(first_column), element_bytes_)));
      row_step_ = write_.multiplyWide(block_.rowBytes(), rows_between);
    }
    // Which columns there are is the same in every row. Vectors of two or more columns are there or not.
    for (int64_t column = 0; column < type_.getColumnsOfWarp() / sm::mma_columns; ++column) {
      Value left = write_.add(first_column, column * sm::mma_columns);
      has_left_.push_back(block_.hasColumn(left));
      has_right_.push_back(in_pairs_ ? Value() : block_.hasColumn(write_.add(left, 1)));
    }
  }

  /// All rows of this thread, plus `beta` times what is there where it is given.
  void rows(Value beta) {
    Value row_start = first_start_;
    for (int64_t row = 0; row < type_.getRowsOfWarp() / rows_between; ++row) {
      Value number = write_.add(first_row_, row * rows_between);
      if (row > 0 && !block_.isListed())
        row_start = write_.advance(row_start, row_step_);
      onlyWhere(rewriter_, location_, block_.hasRow(number), [&] {
        if (block_.isListed())
          row_start = write_.advance(block_.rowStart(number), column_bytes_);
        for (size_t first = 0; first < has_left_.size(); first += most_pairs_in_flight)
          pairsFrom(first, row, row_start, beta);
      });
    }
  }

private:
  /// Some pairs of a row, from one on. Every load of them is under way before the first store.
  void pairsFrom(size_t first, int64_t row, Value row_start, Value beta) {
    SmallVector<Pair> pairs;
    const size_t end = std::min(first + most_pairs_in_flight, has_left_.size());
    for (size_t column = first; column < end; ++column) {
      pairs.emplace_back(rewriter_, location_,
                         tiles_.of(row / 2, static_cast<int64_t>(column)).slice(row % 2 * 2, pair_columns),
                         element_);
      if (beta)
        load(pairs.back(), addressOf(row_start, column), column);
    }
    for (auto [behind, pair] : llvm::enumerate(pairs)) {
      const size_t column = first + behind;
      if (beta)
        pair.addHeld(beta);
      store(pair, addressOf(row_start, column), column);
    }
  }

  Value addressOf(Value row_start, size_t column) {
    return write_.advance(row_start, static_cast<int64_t>(column) * sm::mma_columns * element_bytes_);
  }

  void load(Pair &pair, Value left, size_t column) {
    auto load_bits = [&](Value there, int64_t offset, int64_t bytes) {
      return loadWhere(rewriter_, location_, there, write_.advance(left, offset),
                       rewriter_.getIntegerType(static_cast<unsigned>(8 * bytes)));
    };
    if (in_pairs_)
      return pair.holds(load_bits(has_left_[column], 0, pair_columns * element_bytes_));
    pair.holds(load_bits(has_left_[column], 0, element_bytes_),
               load_bits(has_right_[column], element_bytes_, element_bytes_));
  }

  void store(const Pair &pair, Value left, size_t column) {
    auto store_bits = [&](Value there, Value value, int64_t offset, int64_t bytes) {
      onlyWhere(rewriter_, location_, there, [&] {
        LLVM::StoreOp::create(rewriter_, location_, value, write_.advance(left, offset),
                              static_cast<unsigned>(bytes));
      });
    };
    if (in_pairs_)
      return store_bits(has_left_[column], pair.together(), 0, pair_columns * element_bytes_);
    store_bits(has_left_[column], pair.alone(0), 0, element_bytes_);
    store_bits(has_right_[column], pair.alone(1), element_bytes_, element_bytes_);
  }

  ConversionPatternRewriter &rewriter_;
  Location location_;
  Instructions write_;
  sm::AccumulatorType type_;
  Type element_;
  int64_t element_bytes_;
  bool in_pairs_;
  PlainBlock block_;
  TileSums tiles_;
  Value first_row_;
  Value column_bytes_;           ///< of listed rows
  Value first_start_, row_step_; ///< of rows at one distance
  SmallVector<Value> has_left_, has_right_;
};

struct StoreSumsLowering : ConvertOpToLLVMPattern<sm::StoreSumsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::StoreSumsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getTarget().getType().isPlain())
      return op.emitOpError("stores through tensor maps, by way of shared memory: lower the epilogue before");
    ResultStore result_store(rewriter, op, adaptor);
    result_store.rows(adaptor.getBeta());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addThreadResultPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<StoreSumsLowering>(types);
}

} // namespace compiler
