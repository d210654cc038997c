// Finished sums on their way from a thread's registers straight to memory.
#include "compiler/targets/nvidia/conditional.h"
#include "compiler/targets/nvidia/element_code.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "compiler/targets/nvidia/result_piece.h"
#include "compiler/targets/nvidia/thread_elements.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <optional>
#include <vector>

using namespace mlir;

namespace compiler {
namespace {

/// A thread holds two neighbouring columns of a tile in two rows, this far apart.
constexpr int64_t rows_between = 8, lanes_of_row = 4, pair_columns = 2;
/// No thread writes more at a time.
constexpr int64_t most_bytes = 16;
/// What a thread reads of a row before it writes: sums of a warpgroup may be 64 in a row, and as many
/// registers more would not be left.
constexpr int64_t most_sums_in_flight = 24;

/// Writes the sums of one thread to the block of the result that its tile owns. Memory is asked for fewer and
/// longer pieces of rows where the lanes that share a row exchange sums of neighbouring tiles, so that each
/// has more of one tile's columns.
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
    first_row_ = write_.add(part.firstRow(), write_.divide(write_.lane(), lanes_of_row));
    row_step_ = block_.bytesOfRows(rows_between);
    // As many tiles at a time as widen the vector, and as are left.
    const int64_t vector = op.getTarget().getType().getVector(),
                  tiles = type_.getColumnsOfWarp() / sm::mma_columns;
    int64_t together = std::max<int64_t>(1, std::min(vector, most_bytes / element_bytes_) / pair_columns);
    for (int64_t tile = 0; tile < tiles; tile += together) {
      together = std::min<int64_t>(together, llvm::bit_floor(static_cast<uint64_t>(tiles - tile)));
      if (widths_.empty() || widths_.back().tiles != together)
        widths_.push_back(widthOf(together, part.firstColumn()));
      // Which columns there are is the same in every row. Vectors of two or more columns are there or not.
      Value left = write_.add(widths_.back().first_column, tile * sm::mma_columns);
      places_.push_back({widths_.size() - 1, tile, block_.hasColumn(left),
                         in_pairs_ ? Value() : block_.hasColumn(write_.add(left, 1))});
    }
  }

  /// All rows of this thread, plus `beta` times what is there where it is given.
  void rows(Value beta) {
    SmallVector<Value, 3> starts;
    for (const Width &width : widths_)
      starts.push_back(width.start);
    for (int64_t row = 0; row < type_.getRowsOfWarp() / rows_between; ++row) {
      Value number = write_.add(first_row_, row * rows_between);
      if (row > 0 && row_step_)
        for (Value &start : starts)
          start = write_.advance(start, row_step_);
      // Lanes whose rows are not there take part in what others exchange.
      const bool exchanges = widths_.front().lanes.has_value();
      Value has_row = block_.hasRow(number);
      onlyWhere(rewriter_, location_, exchanges ? Value() : has_row, [&] {
        if (!row_step_) {
          Value row_start = block_.rowStart(number);
          for (auto [width, start] : llvm::zip_equal(widths_, starts))
            start = write_.advance(row_start, width.column_bytes);
        }
        const auto at_once =
            static_cast<size_t>(most_sums_in_flight / (widths_.front().tiles * pair_columns));
        for (size_t first = 0; first < places_.size(); first += at_once)
          piecesOf(row, ArrayRef(places_).slice(first, std::min(at_once, places_.size() - first)), starts,
                   exchanges ? has_row : Value(), beta);
      });
    }
  }

private:
  /// Pieces of rows from so many tiles, and as many times two columns.
  struct Width {
    int64_t tiles;
    Value first_column; ///< this lane's, of the first of such tiles
    Value column_bytes; ///< before it, where rows are at no one distance
    Value start;        ///< its address in the first row, where rows are at one distance
    std::optional<LaneTransposition> lanes;
  };
  /// A piece of a row: its width, its first tile, and whether its columns are there; the second one of two
  /// has a condition of its own where they are moved one by one.
  struct Place {
    size_t width;
    int64_t tile;
    Value is_there, right_is_there;
  };

  Width widthOf(int64_t tiles, Value first_of_part) {
    Width width{tiles, {}, {}, {}, {}};
    Value lane = write_.remainder(write_.lane(), lanes_of_row), column;
    if (tiles == 1) {
      column = write_.multiply(lane, pair_columns);
    } else {
      // The lanes that exchange have a tile each.
      column = write_.add(write_.multiply(write_.remainder(lane, tiles), sm::mma_columns),
                          write_.multiply(write_.divide(lane, tiles), tiles * pair_columns));
      width.lanes.emplace(rewriter_, location_, tiles);
    }
    width.first_column = write_.add(first_of_part, column);
    if (block_.isScattered())
      width.column_bytes = write_.multiply(width.first_column, element_bytes_);
    if (block_.isScattered() && row_step_)
      width.start = write_.advance(block_.rowStart(first_row_), width.column_bytes);
    else if (row_step_)
      width.start = write_.advance(
          block_.start(), write_.add(write_.multiply(write_.wide(first_row_), block_.rowBytes()),
                                     write_.multiply(write_.wide(width.first_column), element_bytes_)));
    return width;
  }

  /// Some pieces of a row, where `has_row` holds. Every load of them is under way before the first store; a
  /// piece is exchanged right before it is stored, so that few registers are in use beside the sums.
  void piecesOf(int64_t row, ArrayRef<Place> places, ArrayRef<Value> starts, Value has_row, Value beta) {
    std::vector<ResultPiece> pieces;
    SmallVector<SmallVector<Value, 2>> held;
    for (const Place &place : places) {
      SmallVector<Value> sums;
      for (int64_t tile = place.tile; tile < place.tile + widths_[place.width].tiles; ++tile)
        llvm::append_range(sums, tiles_.of(row / 2, tile).slice(row % 2 * 2, pair_columns));
      const ResultPiece &piece = pieces.emplace_back(rewriter_, location_, element_, sums);
      if (beta)
        held.push_back(load(piece, place, has_row, addressOf(place, starts)));
    }
    for (auto [number, place] : llvm::enumerate(places)) {
      ResultPiece &piece = pieces[number];
      std::optional<LaneTransposition> &lanes = widths_[place.width].lanes;
      if (lanes && beta)
        piece.transposeSums(*lanes);
      else if (lanes)
        piece.transposeStored(*lanes);
      if (beta && in_pairs_)
        piece.addHeld(beta, held[number].front());
      else if (beta)
        piece.addHeld(beta, held[number]);
      store(piece, place, has_row, addressOf(place, starts));
    }
  }

  Value addressOf(const Place &place, ArrayRef<Value> starts) {
    return write_.advance(starts[place.width], place.tile * sm::mma_columns * element_bytes_);
  }

  SmallVector<Value, 2> load(const ResultPiece &piece, const Place &place, Value has_row, Value left) {
    if (in_pairs_)
      return {loadWhere(rewriter_, location_, write_.both(has_row, place.is_there), left, piece.type(),
                        bytesOf(place))};
    auto load_element = [&](Value is_there, int64_t offset) {
      return loadWhere(rewriter_, location_, write_.both(has_row, is_there), write_.advance(left, offset),
                       piece.elementType(), element_bytes_);
    };
    Value first = load_element(place.is_there, 0);
    return {first, load_element(place.right_is_there, element_bytes_)};
  }

  void store(ResultPiece &piece, const Place &place, Value has_row, Value left) {
    auto store_bits = [&](Value is_there, Value value, int64_t offset, int64_t bytes) {
      onlyWhere(rewriter_, location_, write_.both(has_row, is_there), [&] {
        LLVM::StoreOp::create(rewriter_, location_, value, write_.advance(left, offset),
                              static_cast<unsigned>(bytes));
      });
    };
    if (in_pairs_)
      return store_bits(place.is_there, piece.together(), 0, bytesOf(place));
    store_bits(place.is_there, piece.alone(0), 0, element_bytes_);
    store_bits(place.right_is_there, piece.alone(1), element_bytes_, element_bytes_);
  }

  int64_t bytesOf(const Place &place) const {
    return widths_[place.width].tiles * pair_columns * element_bytes_;
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
  Value row_step_; ///< of rows at one distance
  SmallVector<Width, 3> widths_;
  SmallVector<Place> places_; ///< from left to right
};

struct StoreSumsLowering : ConvertOpToLLVMPattern<sm::StoreSumsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::StoreSumsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getTarget().getType().isPlain())
      return op.emitOpError("stores through tensor maps, by way of shared memory: lower the epilogue before");
    if (op.getAccumulator().getType().hasThreads())
      storeElements(op, adaptor, rewriter);
    else
      ResultStore(rewriter, op, adaptor).rows(adaptor.getBeta());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Sums of single threads, one by one.
  static void storeElements(sm::StoreSumsOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::MapsType maps = op.getTarget().getType();
    const int64_t bytes = maps.getElementType().getIntOrFloatBitWidth() / 8;
    const PlainBlock block(rewriter, location, maps, adaptor.getTarget(), adaptor.getMap(),
                           adaptor.getCoordinates());
    Value row_count; // from the first row on, of which those are stored
    if (Value end = adaptor.getRowsBefore())
      row_count = write.subtract(end, adaptor.getCoordinates().back());
    for (auto [number, element] : llvm::enumerate(elementsOfThread(write, op.getAccumulator().getType()))) {
      Value belongs = row_count ? write.less(element.row, row_count) : Value();
      Value exists = write.both(write.both(element.exists, belongs),
                                write.both(block.hasRow(element.row), block.hasColumn(element.column)));
      onlyWhere(rewriter, location, exists, [&, number = number, element = element] {
        Value sum = LLVM::ExtractValueOp::create(rewriter, location, adaptor.getAccumulator(),
                                                 static_cast<int64_t>(number));
        if (maps.getElementType().isBF16())
          sum = roundedBits(rewriter, location, sum);
        LLVM::StoreOp::create(
            rewriter, location, sum,
            write.advance(block.rowStart(element.row), write.multiply(element.column, bytes)),
            static_cast<unsigned>(bytes));
      });
    }
  }
};

} // namespace

void addThreadResultPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<StoreSumsLowering>(types);
}

} // namespace compiler
