// The `tile` dialect: one kernel's walk, its copies, products and stores. See tile_dialect.td for the manual.
#pragma once

#include "dialects/alg/alg.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile/tile_dialect.h.inc"
#include "dialects/tile/tile_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/tile_attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tile/tile_types.h.inc"

namespace tile {

/// An input of tile.map, with the indices that say which part of a matrix in memory it is.
struct MapInput {
  mlir::Value value;
  llvm::SmallVector<mlir::Value, 4> indices;
};

/// What an input of tile.map hands to the body for an element: the element of a fragment, a number, that of
/// the element's column or row, or what a matrix like the result has at its place.
enum class MapInputKind { Fragment, Number, PerColumn, PerRow, PerElement };

/// An operand of tile.elementwise: what it has one number for, and the type of these.
struct ElementwiseInput {
  Per per;
  mlir::Type element;
};

} // namespace tile

#define GET_OP_CLASSES
#include "dialects/tile/tile_ops.h.inc"
