// The alg program of a projection layer.
#pragma once

#include "algebras/layer.h"
#include "dialects/alg/alg.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace compiler {

/// A module with one function for each of the modes: slot views of the operands, their contraction, and the
/// gather of the result. `forward` is output mode k, of x and w; the others are its gradients, `dx` mode i,
/// of dy and w, and `dw` mode j, of x and dy. The last argument of `forward` is the bias where the layer has
/// one: a map adds it to the sums and rounds once, to `result` or else to the layer's type. The context must
/// have the alg, arith and func dialects loaded. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> buildProjection(mlir::MLIRContext &context, const algebras::Layer &layer,
                                                  bool allow_nonassociative,
                                                  llvm::ArrayRef<alg::OutputMode> modes,
                                                  std::optional<algebras::DataType> result = {});

/// A module with the gradient of the bias alone: a function of that name, of dy, that sums it over the rows.
/// The layer's bias is of `result`, which is the type of its gradient. Otherwise as above.
mlir::OwningOpRef<mlir::ModuleOp> buildBiasGradient(mlir::MLIRContext &context, const algebras::Layer &layer,
                                                    bool allow_nonassociative, algebras::DataType result,
                                                    llvm::StringRef name);

} // namespace compiler
