#include "compiler/targets/nvidia/plain_map.h"

#include "compiler/targets/nvidia/instructions.h"
#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int dimensions = 4, lists = 3;
static_assert(sizeof(algrt_plain_map) == algrt_plain_map_bytes &&
              algrt_plain_map_bytes == 8 + 3 * 8 + 4 * 4 + 3 * 8);

/// Reads the fields of a map. Parameters do not change while the kernel runs.
class MapFields {
public:
  MapFields(OpBuilder &builder, Location location, Value map)
      : builder_(builder), location_(location), map_(map), type_(plainMapType(builder.getContext())) {}

  Value address() { return load(pointerTo(builder_.getContext(), Space::Global), {0, 0}, 8); }
  /// In elements, i64.
  Value stride(int dimension) { return load(builder_.getI64Type(), {0, 1, dimension - 1}, 8); }
  Value extent(int dimension) { return load(builder_.getI32Type(), {0, 2, dimension}, 4); }
  /// Where the groups of dimension 1 begin, where those of dimension 3 do, and the row list.
  Value groupStarts() { return list(0); }
  Value rowGroupStarts() { return list(1); }
  Value rowList() { return list(2); }

private:
  Value list(int number) { return load(pointerTo(builder_.getContext(), Space::Global), {0, 3, number}, 8); }
  Value load(Type field, ArrayRef<LLVM::GEPArg> path, unsigned alignment) {
    Value at = LLVM::GEPOp::create(builder_, location_, map_.getType(), type_, map_, path);
    return LLVM::LoadOp::create(builder_, location_, field, at, alignment, /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/true);
  }

  OpBuilder &builder_;
  Location location_;
  Value map_;
  LLVM::LLVMStructType type_;
};

/// A word of a list, i32. Lists do not change while the kernel runs.
Value readList(OpBuilder &builder, Location location, Value list, Value position) {
  Instructions write(builder, location);
  Value address = write.advance(list, write.multiply(write.wide(position), 4));
  return LLVM::LoadOp::create(builder, location, builder.getI32Type(), address, /*alignment=*/4,
                              /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
}

/// One of the groups whose starts a list has.
struct ListedGroup {
  ListedGroup(OpBuilder &builder, Location location, Value starts, Value group)
      : start(readList(builder, location, starts, group)) {
    Instructions write(builder, location);
    width = write.subtract(readList(builder, location, starts, write.add(group, 1)), start);
  }
  Value start, width;
};

} // namespace

LLVM::LLVMStructType plainMapType(MLIRContext *context) {
  auto i64 = IntegerType::get(context, 64);
  auto i32 = IntegerType::get(context, 32);
  LLVM::LLVMPointerType global = pointerTo(context, Space::Global);
  return LLVM::LLVMStructType::getLiteral(context, {global, LLVM::LLVMArrayType::get(i64, 3),
                                                    LLVM::LLVMArrayType::get(i32, dimensions),
                                                    LLVM::LLVMArrayType::get(global, lists)});
}

Value rowListOf(OpBuilder &builder, Location location, Value maps) {
  return MapFields(builder, location, maps).rowList();
}

PlainBlock::PlainBlock(OpBuilder &builder, Location location, sm::MapsType type, Value maps, Value index,
                       ValueRange coordinates)
    : builder_(builder), location_(location), listed_(type.getListed()),
      joined_(JoinedRows::of(builder, location, type, index)) {
  Instructions write(builder, location);
  Value map = LLVM::GEPOp::create(builder, location, maps.getType(), plainMapType(builder.getContext()), maps,
                                  ArrayRef<LLVM::GEPArg>{index});
  MapFields fields(builder, location, map);
  const int64_t element_bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  const int row_dimension = static_cast<int>(type.getRowDimension());

  map_start_ = fields.address();
  // Elements of an operand may be more than 2^31; coordinates are fewer.
  Value elements = write.wide(coordinates[0]);
  auto step = [&](Value coordinate, int dimension) {
    elements = write.add(elements, write.multiply(write.wide(coordinate), fields.stride(dimension)));
  };
  for (int dimension = 1; dimension < dimensions; ++dimension) {
    Value coordinate = coordinates[dimension];
    if (type.getUnequal() && dimension == 1) {
      const ListedGroup group(builder, location, fields.groupStarts(), coordinate);
      group_start_ = group.start;
      columns_ = group.width;
      elements = write.add(elements, write.wide(group_start_));
    } else if (type.getUnequal() && dimension == 3 && row_dimension == 2) {
      // A row group begins so many rows down.
      const ListedGroup group(builder, location, fields.rowGroupStarts(), coordinate);
      rows_ = group.width;
      step(group.start, row_dimension);
    } else if (!isScattered() || dimension == 1) {
      step(coordinate, dimension);
    }
  }
  block_start_ = write.advance(map_start_, write.multiply(elements, element_bytes));
  row_bytes_ = write.multiply(fields.stride(joined_ ? 2 : row_dimension), element_bytes);
  if (joined_) {
    run_bytes_ = write.multiply(fields.stride(row_dimension), element_bytes);
    segment_ = coordinates[2];
    segment_rows_ = fields.extent(2);
  }

  first_column_ = coordinates[0];
  if (!columns_)
    columns_ = fields.extent(0);
  first_row_ = coordinates[row_dimension];
  if (!rows_ && !listed_)
    rows_ = fields.extent(row_dimension);
  if (listed_) {
    // The list begins with the greatest number of rows, the starts of all types, and an end. Behind the last
    // type is what stands for all of them: it begins where the first one does.
    row_list_ = fields.rowList();
    Value types = fields.extent(2), of = coordinates[2];
    Value is_type = write.below(of, types);
    Value begin = readList(builder, location, row_list_, write.add(write.select(is_type, of, 0), 1));
    Value end =
        readList(builder, location, row_list_, write.add(write.select(is_type, write.add(of, 1), types), 1));
    rows_ = write.subtract(end, begin);
    first_entry_ = write.add(write.add(types, 2), begin);
  }
  for (int dimension = 1; dimension < dimensions; ++dimension)
    if (dimension != row_dimension && !(isScattered() && dimension == 2))
      others_inside_ =
          write.both(others_inside_, write.below(coordinates[dimension], fields.extent(dimension)));
}

Value PlainBlock::rowStart(Value row) const {
  Instructions write(builder_, location_);
  if (joined_) {
    const JoinedRows::Place place = joined_->at(segment_, write.add(first_row_, row));
    return write.advance(block_start_, write.add(write.multiply(write.wide(place.within), row_bytes_),
                                                 write.multiply(write.wide(place.run), run_bytes_)));
  }
  if (!listed_)
    return write.advance(block_start_, write.multiply(write.wide(row), row_bytes_));
  // Of a row that is not there any word of the list will do.
  Value entry = write.add(first_entry_, write.add(first_row_, row));
  Value number = readList(builder_, location_, row_list_, write.select(hasRow(row), entry, 0));
  return write.advance(block_start_, write.multiply(write.wide(number), row_bytes_));
}

Value PlainBlock::bytesOfRows(int64_t rows) const {
  Instructions write(builder_, location_);
  if (joined_)
    return joined_->areWholeRuns(rows) ? write.multiply(run_bytes_, joined_->runsIn(rows)) : Value();
  return listed_ ? Value() : write.multiply(row_bytes_, rows);
}

Value PlainBlock::hasRow(Value row) const {
  Instructions write(builder_, location_);
  if (joined_) {
    const JoinedRows::Place place = joined_->at(segment_, write.add(first_row_, row));
    return write.both(others_inside_,
                      write.both(write.below(place.within, segment_rows_), write.below(place.run, rows_)));
  }
  return write.both(others_inside_, write.below(write.add(first_row_, row), rows_));
}

Value PlainBlock::hasColumn(Value column) const {
  Instructions write(builder_, location_);
  return write.below(write.add(first_column_, column), columns_);
}

} // namespace compiler
