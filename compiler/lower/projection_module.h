// The alg program of a projection layer.
#ifndef ALGCTL_COMPILER_LOWER_PROJECTION_MODULE_H
#define ALGCTL_COMPILER_LOWER_PROJECTION_MODULE_H

#include "algebras/layer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace compiler {

/// A module with one function for each map of the layer: slot views of the operands, their contraction, and
/// the gather of the result. The maps are those that kernels exist for, `forward` (output mode k, of x
/// and w) and `dx` (output mode i, of dy and w), or one of them alone. The context must have the alg and func
/// dialects loaded. Null after a diagnostic.
enum class Maps { ForwardAlone, DxAlone, All };
mlir::OwningOpRef<mlir::ModuleOp> buildProjection(mlir::MLIRContext &context, const algebras::Layer &layer,
                                                  bool allow_nonassociative, Maps maps);

} // namespace compiler

#endif
