#include "compiler/targets/nvidia/plain_map.h"

#include "compiler/targets/nvidia/instructions.h"
#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int dimensions = 4;
static_assert(sizeof(algrt_plain_map) == algrt_plain_map_bytes && algrt_plain_map_bytes == 8 + 3 * 8 + 4 * 4);

/// Reads the fields of a map. Parameters do not change while the kernel runs.
class MapFields {
public:
  MapFields(OpBuilder &builder, Location location, Value map)
      : builder(builder), location(location), map(map), type(plainMapType(builder.getContext())) {}

  Value address() { return load(pointerTo(builder.getContext(), Space::Global), {0, 0}, 8); }
  /// In elements, i64.
  Value stride(int dimension) { return load(builder.getI64Type(), {0, 1, dimension - 1}, 8); }
  Value extent(int dimension) { return load(builder.getI32Type(), {0, 2, dimension}, 4); }

private:
  Value load(Type field, ArrayRef<LLVM::GEPArg> path, unsigned alignment) {
    Value at = LLVM::GEPOp::create(builder, location, map.getType(), type, map, path);
    return LLVM::LoadOp::create(builder, location, field, at, alignment, /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/true);
  }

  OpBuilder &builder;
  Location location;
  Value map;
  LLVM::LLVMStructType type;
};

} // namespace

LLVM::LLVMStructType plainMapType(MLIRContext *context) {
  auto i64 = IntegerType::get(context, 64);
  auto i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(context, {pointerTo(context, Space::Global),
                                                    LLVM::LLVMArrayType::get(i64, 3),
                                                    LLVM::LLVMArrayType::get(i32, dimensions)});
}

PlainBlock::PlainBlock(OpBuilder &builder, Location location, sm::MapsType type, Value maps, Value index,
                       ValueRange coordinates)
    : builder(builder), location(location) {
  Instructions write(builder, location);
  Value map = LLVM::GEPOp::create(builder, location, maps.getType(), plainMapType(builder.getContext()), maps,
                                  ArrayRef<LLVM::GEPArg>{index});
  MapFields fields(builder, location, map);
  const std::int64_t element_bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  const int row_dimension = static_cast<int>(type.getRowDimension());

  map_start = fields.address();
  // Elements of an operand may be more than 2^31; coordinates are fewer.
  Value elements = write.wide(coordinates[0]);
  for (int dimension = 1; dimension < dimensions; ++dimension)
    elements =
        LLVM::AddOp::create(builder, location, elements,
                            write.multiplyWide(write.wide(coordinates[dimension]), fields.stride(dimension)));
  block_start = write.advance(map_start, write.multiplyWide(elements, element_bytes));
  row_bytes = write.multiplyWide(fields.stride(row_dimension), element_bytes);

  first_column = coordinates[0];
  columns = fields.extent(0);
  first_row = coordinates[row_dimension];
  rows = fields.extent(row_dimension);
  for (int dimension = 1; dimension < dimensions; ++dimension)
    if (dimension != row_dimension)
      others_inside =
          write.both(others_inside, write.below(coordinates[dimension], fields.extent(dimension)));
}

Value PlainBlock::hasRow(Value row) const {
  Instructions write(builder, location);
  return write.both(others_inside, write.below(write.add(first_row, row), rows));
}

Value PlainBlock::hasColumn(Value column) const {
  Instructions write(builder, location);
  return write.below(write.add(first_column, column), columns);
}

} // namespace compiler
