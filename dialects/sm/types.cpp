#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sm;

#define GET_TYPEDEF_CLASSES
#include "dialects/sm/sm_types.cpp.inc"

void SmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/sm/sm_types.cpp.inc"
      >();
}

static int64_t bytesOf(Type elementType) { return elementType.getIntOrFloatBitWidth() / 8; }

int64_t BufferType::getPanelColumns() const {
  assert(getSwizzle() && "a buffer without a layout has no panels");
  return getSwizzle() / bytesOf(getElementType());
}
int64_t BufferType::getPanels() const { return getColumns() / getPanelColumns(); }
int64_t BufferType::getPanelBytes() const { return getRows() * getSwizzle(); }
int64_t BufferType::getSlotBytes() const { return getRows() * getColumns() * bytesOf(getElementType()); }
int64_t BufferType::getBytes() const { return getSlots() * getSlotBytes(); }

/// What blocks have in common wherever they are: as values, in shared memory, as boxes of a map.
static LogicalResult verifyBlock(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                 Type elementType, int64_t swizzle) {
  if (rows < 1 || columns < 1)
    return error() << "a block has at least one row and one column, got " << rows << " x " << columns;
  if (rows > longest_box_side)
    return error() << "a block has at most " << longest_box_side
                   << " rows, the side of a tensor map's box, got " << rows;
  if (!elementType.isF32() && !elementType.isBF16())
    return error() << "elements must be f32 or bf16, got " << elementType;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return error() << "the swizzle spans 32, 64 or 128 bytes, or 0 where none is assigned, got " << swizzle;
  if (swizzle && columns * bytesOf(elementType) % swizzle != 0)
    return error() << "a row of " << columns << " elements is " << columns * bytesOf(elementType)
                   << " bytes, which panels of " << swizzle << " bytes do not divide";
  return success();
}

LogicalResult MapsType::verify(function_ref<InFlightDiagnostic()> error, int64_t count, int64_t rows,
                               int64_t columns, Type elementType, int64_t rowDimension, int64_t swizzle) {
  if (count < 1)
    return error() << "an operand has at least one map, got " << count;
  if (rowDimension != 2 && rowDimension != 3)
    return error() << "the rows of a block lie along dimension 3 (rows of X and Y) or 2 (the bank), got "
                   << rowDimension;
  return verifyBlock(error, rows, columns, elementType, swizzle);
}

LogicalResult BlockType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                Type elementType, int64_t swizzle) {
  return verifyBlock(error, rows, columns, elementType, swizzle);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> error, int64_t slots, int64_t rows,
                                 int64_t columns, Type elementType, int64_t swizzle) {
  if (slots < 1)
    return error() << "a buffer has at least one slot, got " << slots;
  return verifyBlock(error, rows, columns, elementType, swizzle);
}

LogicalResult BarriersType::verify(function_ref<InFlightDiagnostic()> error, int64_t slots) {
  if (slots < 1)
    return error() << "a ring has at least one barrier, got " << slots;
  return success();
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> error, ArrayRef<Type> blocks) {
  if (blocks.empty())
    return error() << "a channel passes at least one block";
  for (Type block : blocks)
    if (!isa<BlockType>(block))
      return error() << "a channel passes blocks, got " << block;
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> error, int64_t slots) {
  if (slots < 1)
    return error() << "a ring has at least one slot, got " << slots;
  return success();
}

LogicalResult AccumulatorType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows,
                                      int64_t columns) {
  if (rows < 1 || rows % warpgroup_rows != 0)
    return error() << "the sums of a warpgroup have " << warpgroup_rows << " rows; " << rows
                   << " is not a multiple of it";
  if (columns < 8 || columns > 256 || columns % 8 != 0)
    return error() << "tensor-core instructions have 8 to 256 columns, a multiple of 8, got " << columns;
  return success();
}
