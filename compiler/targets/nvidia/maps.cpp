// Element-wise code on a thread's finished sums.
#include "compiler/targets/nvidia/element_code.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// Sums of a thread in an 8 x 8 piece: of row lane / 4 and of the row 8 below, two neighbours; where the sums
/// are transposed, columns in the place of rows.
constexpr std::int64_t lanes_per_row = 4, neighbours = 2, apart = 8, warp_columns = 16;

/// Numbers of columns, as a thread reads them: those of one output group.
class GroupNumbers {
public:
  GroupNumbers(OpBuilder &builder, Location location, sm::ColumnsType type, Value all, Value group)
      : builder(builder), location(location), type(type),
        bytes(type.getElementType().getIntOrFloatBitWidth() / 8) {
    Instructions write(builder, location);
    start = write.advance(all, write.multiplyWide(write.wide(group), type.getWidth() * bytes));
  }

  /// Of a column of the group. Past the group's end it is that of the last column: such sums are never
  /// stored, and every thread loads without asking.
  Value of(Value column) const {
    Instructions write(builder, location);
    const std::int64_t last = type.getWidth() - 1;
    Value there = write.choose(write.below(column, last), column, write.constant(last));
    return loadElement(builder, location, type.getElementType(),
                       write.advance(start, write.multiply(there, bytes)));
  }

private:
  OpBuilder &builder;
  Location location;
  sm::ColumnsType type;
  std::int64_t bytes;
  Value start;
};

/// A column of a thread's sums, and where in the struct those are that stand in it.
struct SumsOfColumn {
  Value column;
  SmallVector<std::int64_t> positions;
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
    for (std::int64_t behind : {0, 1}) {
      SumsOfColumn &column = all.emplace_back();
      column.column = write.add(first, behind * apart);
      for (std::int64_t piece = 0; piece < type.getInstructionWidth() / apart; ++piece)
        for (std::int64_t neighbour = 0; neighbour < neighbours; ++neighbour)
          column.positions.push_back(tile_registers * piece + neighbours * behind + neighbour);
    }
    return all;
  }
  WarpPart part(write, type, op);
  Value first = write.add(write.add(begin, part.firstColumn()),
                          write.multiply(write.bitAnd(write.thread(), lanes_per_row - 1), neighbours));
  const std::int64_t tiles = type.getColumnsOfWarp() / sm::mma_columns;
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    for (std::int64_t neighbour = 0; neighbour < neighbours; ++neighbour) {
      SumsOfColumn &column = all.emplace_back();
      column.column = write.add(first, tile * sm::mma_columns + neighbour);
      for (std::int64_t row = 0; row < type.getRowsOfWarp() / sm::mma_rows; ++row)
        for (std::int64_t below : {0, 1})
          column.positions.push_back((row * tiles + tile) * tile_registers + neighbours * below + neighbour);
    }
  return all;
}

struct MapLowering : ConvertOpToLLVMPattern<sm::MapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::MapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    SmallVector<std::optional<GroupNumbers>> numbers;
    Value sums;
    for (auto [input, lowered] : llvm::zip_equal(op.getInputs(), adaptor.getInputs())) {
      auto columns = dyn_cast<sm::ColumnsType>(input.getType());
      numbers.push_back(columns ? std::optional<GroupNumbers>(std::in_place, rewriter, location, columns,
                                                              lowered, adaptor.getGroup())
                                : std::nullopt);
      if (isa<sm::AccumulatorType>(input.getType()))
        sums = lowered;
    }
    Value result = LLVM::PoisonOp::create(rewriter, location, sums.getType());
    for (const SumsOfColumn &column : columnsOfSums(write, op, adaptor.getColumn())) {
      SmallVector<Value> elements(adaptor.getInputs());
      for (auto [element, of_group] : llvm::zip_equal(elements, numbers))
        if (of_group)
          element = of_group->of(column.column);
      for (std::int64_t position : column.positions) {
        SmallVector<Value> here = elements;
        for (auto [input, element] : llvm::zip_equal(op.getInputs(), here))
          if (isa<sm::AccumulatorType>(input.getType()))
            element = LLVM::ExtractValueOp::create(rewriter, location, element, position);
        Value mapped = writeElement(rewriter, location, op.getBody().front(), here);
        result = LLVM::InsertValueOp::create(rewriter, location, result, mapped, position);
      }
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void addMapPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<MapLowering>(types);
}

} // namespace compiler
