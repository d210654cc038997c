// The alg program of a projection layer.
#ifndef ALGCTL_COMPILER_LOWER_PROJECTION_MODULE_H
#define ALGCTL_COMPILER_LOWER_PROJECTION_MODULE_H

#include "algebras/layer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace compiler {

/// A module with one function, `forward`: slot views of x and w, their contraction with output mode k, and
/// the gather of the result. The context must have the alg and func dialects loaded. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> buildProjection(mlir::MLIRContext &context, const algebras::Layer &layer,
                                                  bool allow_nonassociative);

} // namespace compiler

#endif
