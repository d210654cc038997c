// The alg dialect: attributes, the type and the operations. Its manual is docs/dialects/alg.md.
#pragma once
#include "algebras/groups.h"
#include "algebras/lift.h"
#include "algebras/row_types.h"
#include "dialects/alg/derived_algebra.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/alg/alg_dialect.h.inc"
#include "dialects/alg/alg_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/alg/alg_attributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/alg/alg_types.h.inc"
#define GET_OP_CLASSES
#include "dialects/alg/alg_ops.h.inc"

namespace alg {

/// The element type of a view or a tensor.
mlir::Type elementTypeOf(mlir::Value value);

/// The `alg.slots` that gave a view of activations its row types, through products, maps and regroupings;
/// null where the view comes from elsewhere (a block argument, say) or is not of activations in the row lift.
SlotsOp findRowSchedule(mlir::Value view);

/// A product that a view is made of through maps and regroupings; null where there is none.
ContractOp findProduct(mlir::Value view);

/// The same among products over an algebra that is not associative. Such a view must not enter another
/// product.
ContractOp findNonassociativeProduct(mlir::Value view);

} // namespace alg
