// Element-wise code on a thread's finished sums.
#include "compiler/targets/nvidia/element_code.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "compiler/targets/nvidia/thread_elements.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// Sums of a thread in an 8 x 8 piece: of row lane / 4 and of the row 8 below, two neighbours; where the sums
/// are transposed, columns in the place of rows.
constexpr int64_t lanes_per_row = 4, neighbours = 2, apart = 8, warp_columns = 16;

/// Numbers of columns, as a thread reads them: those of one output group.
class GroupNumbers {
public:
  GroupNumbers(OpBuilder &builder, Location location, sm::ColumnsType type, Value all, Value group)
      : builder_(builder), location_(location), type_(type),
        bytes_(type.getElementType().getIntOrFloatBitWidth() / 8) {
    Instructions write(builder, location);
    start_ = write.advance(all, write.multiply(write.wide(group), type.getWidth() * bytes_));
  }

  /// Of a column of the group. Past the group's end it is that of the last column: such sums are never
  /// stored, and every thread loads without asking.
  Value of(Value column) const {
    Instructions write(builder_, location_);
    const int64_t last = type_.getWidth() - 1;
    Value there = write.select(write.below(column, last), column, last);
    return loadElement(builder_, location_, type_.getElementType(),
                       write.advance(start_, write.multiply(there, bytes_)));
  }

private:
  OpBuilder &builder_;
  Location location_;
  sm::ColumnsType type_;
  int64_t bytes_;
  Value start_;
};

/// A column of a thread's sums, and where in the struct those are that stand in it.
struct SumsOfColumn {
  Value column;
  SmallVector<int64_t> positions;
};

/// All columns of a thread's sums, the first one of the tile being `begin`.
SmallVector<SumsOfColumn> columnsOfSums(Instructions &write, sm::MapOp op, Value begin) {
  const sm::AccumulatorType type = op.getResult().getType();
  SmallVector<SumsOfColumn> all;
  if (type.getTransposed()) {
    Value warp = write.shiftRight(write.threadInWarpgroup(), llvm::Log2_64(sm::warp_threads));
    Value warpgroup = warpgroupOfTile(write, op, type.getWarpgroups());
    Value first = write.add(write.add(begin, write.multiply(warpgroup, sm::warpgroup_rows)),
                            write.add(write.multiply(warp, warp_columns),
                                      write.shiftRight(write.lane(), llvm::Log2_64(lanes_per_row))));
    for (int64_t behind : {0, 1}) {
      SumsOfColumn &column = all.emplace_back();
      column.column = write.add(first, behind * apart);
      for (int64_t piece = 0; piece < type.getInstructionWidth() / apart; ++piece)
        for (int64_t neighbour = 0; neighbour < neighbours; ++neighbour)
          column.positions.push_back(tile_registers * piece + neighbours * behind + neighbour);
    }
    return all;
  }
  WarpPart part(write, type, op);
  Value first = write.add(write.add(begin, part.firstColumn()),
                          write.multiply(write.bitAnd(write.thread(), lanes_per_row - 1), neighbours));
  const int64_t tiles = type.getColumnsOfWarp() / sm::mma_columns;
  for (int64_t tile = 0; tile < tiles; ++tile)
    for (int64_t neighbour = 0; neighbour < neighbours; ++neighbour) {
      SumsOfColumn &column = all.emplace_back();
      column.column = write.add(first, tile * sm::mma_columns + neighbour);
      for (int64_t row = 0; row < type.getRowsOfWarp() / sm::mma_rows; ++row)
        for (int64_t below : {0, 1})
          column.positions.push_back((row * tiles + tile) * tile_registers + neighbours * below + neighbour);
    }
  return all;
}

/// The rows of a thread's sums within the tile, in the order in which every column has its positions.
SmallVector<Value> rowsOfSums(Instructions &write, sm::MapOp op) {
  const sm::AccumulatorType type = op.getResult().getType();
  SmallVector<Value> rows;
  if (type.getTransposed()) {
    Value first = write.multiply(write.bitAnd(write.thread(), lanes_per_row - 1), neighbours);
    for (int64_t piece = 0; piece < type.getInstructionWidth() / apart; ++piece)
      for (int64_t neighbour = 0; neighbour < neighbours; ++neighbour)
        rows.push_back(write.add(first, piece * apart + neighbour));
    return rows;
  }
  WarpPart part(write, type, op);
  Value first = write.add(part.firstRow(), write.shiftRight(write.lane(), llvm::Log2_64(lanes_per_row)));
  for (int64_t row = 0; row < type.getRowsOfWarp(); row += apart)
    rows.push_back(write.add(first, row));
  return rows;
}

/// An operand that has rows, as a thread reads it: a number for each row, or an element for each of its sums.
/// What the operand does not have is read from where it has something for certain: a branch around each load
/// would cost more, and such sums are never stored.
class RowElements {
public:
  /// `place` is the map, and the four coordinates of the tile.
  RowElements(OpBuilder &builder, Location location, sm::MapsType type, Value maps, ValueRange place,
              ArrayRef<Value> rows)
      : builder_(builder), location_(location), type_(type), write_(builder, location),
        bytes_(type.getElementType().getIntOrFloatBitWidth() / 8),
        block_(builder, location, type, maps, place[0], coordinatesIn(place)) {
    for (Value row : rows) {
      has_row_.push_back(block_.hasRow(row));
      starts_.push_back(block_.rowStart(row));
      if (isPerRow())
        of_rows_.push_back(load(has_row_.back(), starts_.back()));
    }
  }

  /// Of neighbouring columns of the tile, the first of which is a multiple of their number: an element of
  /// each row for each of them, column after column.
  SmallVector<SmallVector<Value>> of(ArrayRef<Value> columns) {
    SmallVector<SmallVector<Value>> elements(columns.size());
    const bool together = columns.size() > 1 && type_.getVector() > 1;
    for (auto [row, start] : llvm::enumerate(starts_)) {
      if (isPerRow()) {
        for (auto &of_column : elements)
          of_column.push_back(of_rows_[row]);
        continue;
      }
      SmallVector<Value> pair;
      for (auto [number, column] : llvm::enumerate(columns)) {
        if (number == 0 || !together) {
          Value there = write_.both(has_row_[row], block_.hasColumn(column));
          Value address = write_.advance(start, write_.multiply(column, bytes_));
          if (together)
            pair = loadPair(there, address);
          else
            pair.push_back(load(there, address));
        }
        elements[number].push_back(pair[number]);
      }
    }
    return elements;
  }

private:
  bool isPerRow() const { return type_.getColumns() == 1; }

  SmallVector<Value> coordinatesIn(ValueRange place) {
    SmallVector<Value> coordinates(place.drop_front());
    if (isPerRow())
      coordinates[0] = coordinates[1] = write_.constant(0);
    return coordinates;
  }

  Value load(Value there, Value address) {
    return loadElement(builder_, location_, type_.getElementType(),
                       write_.select(there, address, block_.origin()));
  }

  /// Two neighbouring elements in one load.
  SmallVector<Value> loadPair(Value there, Value address) {
    Value from = write_.select(there, address, block_.origin());
    Type word = builder_.getI32Type();
    auto as_float = [&](Value bits) -> Value {
      return LLVM::BitcastOp::create(builder_, location_, builder_.getF32Type(), bits);
    };
    if (type_.getElementType().isBF16()) {
      // The upper half of an f32 is a bf16.
      constexpr int64_t upper_half = 0xffff0000;
      Value both = LLVM::LoadOp::create(builder_, location_, word, from, static_cast<unsigned>(2 * bytes_));
      return {as_float(write_.shiftLeft(both, 16)), as_float(write_.bitAnd(both, upper_half))};
    }
    Value both = LLVM::LoadOp::create(builder_, location_, builder_.getI64Type(), from,
                                      static_cast<unsigned>(2 * bytes_));
    return {as_float(LLVM::TruncOp::create(builder_, location_, word, both)),
            as_float(LLVM::TruncOp::create(builder_, location_, word, write_.shiftRight(both, 32)))};
  }

  OpBuilder &builder_;
  Location location_;
  sm::MapsType type_;
  Instructions write_;
  int64_t bytes_;
  PlainBlock block_;
  SmallVector<Value> has_row_, starts_, of_rows_;
};

struct MapLowering : ConvertOpToLLVMPattern<sm::MapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::MapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    if (op.getResult().getType().hasThreads()) {
      rewriter.replaceOp(op, mapElements(op, adaptor, rewriter));
      return success();
    }
    SmallVector<std::optional<GroupNumbers>> numbers(op.getInputs().size());
    SmallVector<std::unique_ptr<RowElements>> rows(op.getInputs().size());
    const SmallVector<Value> all_rows = op.getRows().empty() ? SmallVector<Value>() : rowsOfSums(write, op);
    Value sums;
    for (auto [number, input, lowered] : llvm::enumerate(op.getInputs(), adaptor.getInputs())) {
      if (auto columns = dyn_cast<sm::ColumnsType>(input.getType()))
        numbers[number].emplace(rewriter, location, columns, lowered, adaptor.getGroup());
      else if (auto maps = dyn_cast<sm::MapsType>(input.getType()))
        rows[number] =
            std::make_unique<RowElements>(rewriter, location, maps, lowered, adaptor.getRows(), all_rows);
      else if (isa<sm::AccumulatorType>(input.getType()))
        sums = lowered;
    }
    Value result = LLVM::PoisonOp::create(rewriter, location, sums.getType());
    const SmallVector<SumsOfColumn> columns = columnsOfSums(write, op, adaptor.getColumn());
    SmallVector<SumsOfColumn> within;
    if (!all_rows.empty())
      within = columnsOfSums(write, op, write.constant(0));
    // Two columns that neighbour each other are read together; those of transposed sums are apart.
    const size_t together = op.getResult().getType().getTransposed() ? 1 : neighbours;
    SmallVector<SmallVector<SmallVector<Value>>> read(op.getInputs().size());
    for (auto [place, column] : llvm::enumerate(columns)) {
      if (!all_rows.empty() && place % together == 0) {
        SmallVector<Value> these;
        for (const SumsOfColumn &one : ArrayRef(within).slice(place, together))
          these.push_back(one.column);
        for (auto [elements, of_rows] : llvm::zip_equal(read, rows))
          if (of_rows)
            elements = of_rows->of(these);
      }
      SmallVector<Value> elements(adaptor.getInputs());
      for (auto [element, of_group] : llvm::zip_equal(elements, numbers))
        if (of_group)
          element = of_group->of(column.column);
      for (auto [row, position] : llvm::enumerate(column.positions)) {
        SmallVector<Value> here = elements;
        for (auto [number, input] : llvm::enumerate(op.getInputs()))
          if (isa<sm::AccumulatorType>(input.getType()))
            here[number] = LLVM::ExtractValueOp::create(rewriter, location, here[number], position);
          else if (rows[number])
            here[number] = read[number][place % together][row];
        Value mapped = writeElement(rewriter, location, op.getBody().front(), here);
        result = LLVM::InsertValueOp::create(rewriter, location, result, mapped, position);
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Sums of single threads, each of which has a row and a column of its own.
  static Value mapElements(sm::MapOp op, OpAdaptor adaptor, OpBuilder &builder) {
    Location location = op.getLoc();
    Instructions write(builder, location);
    SmallVector<Value> results;
    for (const ElementOfThread &element : elementsOfThread(write, op.getResult().getType())) {
      SmallVector<Value> here;
      for (auto [input, lowered] : llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
        const Type type = input.getType();
        if (auto columns = dyn_cast<sm::ColumnsType>(type))
          here.push_back(GroupNumbers(builder, location, columns, lowered, adaptor.getGroup())
                             .of(write.add(adaptor.getColumn(), element.column)));
        else if (auto maps = dyn_cast<sm::MapsType>(type))
          here.push_back(RowElements(builder, location, maps, lowered, adaptor.getRows(), element.row)
                             .of(element.column)[0][0]);
        else if (isa<sm::AccumulatorType>(type))
          here.push_back(
              LLVM::ExtractValueOp::create(builder, location, lowered, static_cast<int64_t>(results.size())));
        else
          here.push_back(lowered);
      }
      results.push_back(writeElement(builder, location, op.getBody().front(), here));
    }
    return structOf(builder, location, results);
  }
};

} // namespace

void addMapPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<MapLowering>(types);
}

} // namespace compiler
