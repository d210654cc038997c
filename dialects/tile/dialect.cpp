#include "dialects/tile/tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "dialects/tile/tile_dialect.cpp.inc"

void tile::TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/tile_ops.cpp.inc"
      >();
}
