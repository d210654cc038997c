// The program of a feed-forward network.
#pragma once

#include "compiler/spec/swiglu.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace compiler {

/// A module with the function `forward`. Its arguments are x, gate (where there is one), up, down; in the row
/// lift p0, the position of the first row, or types, a vector; and biases gate_bias, up_bias, down_bias.
/// Weights are [in, out], in the slot lift [slots, in / slots, out / slots].
///
/// What is between the products is computed in f32 from their sums and rounded once to `dtype`. The context
/// must have the alg, arith, func and math dialects loaded. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> buildSwiglu(mlir::MLIRContext &context, const Swiglu &program);

/// A module whose function `forward` is what stands between the products alone: the results of those with
/// gate (where there is one) and up, in `dtype`, to the hidden activations, which for a dense network is a
/// pass of its own. Without biases. As buildSwiglu.
mlir::OwningOpRef<mlir::ModuleOp> buildActivation(mlir::MLIRContext &context, const Swiglu &program);

} // namespace compiler
