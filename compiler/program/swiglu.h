// The program of a feed-forward network: y = (act(x gate) * (x up)) down, or without a gate y = act(x up)
// down.
#ifndef ALGCTL_COMPILER_PROGRAM_SWIGLU_H
#define ALGCTL_COMPILER_PROGRAM_SWIGLU_H

#include "algebras/layer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <string_view>
#include <vector>

namespace compiler {

enum class Activation {
  Silu,     ///< x / (1 + exp(-x))
  Gelu,     ///< x (1 + erf(x / sqrt 2)) / 2
  GeluTanh, ///< the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) for erf
  Relu,     ///< max(x, 0)
  Relu2,    ///< max(x, 0)^2
  Identity
};

/// "silu", "gelu", "gelu_tanh", "relu", "relu2", "identity".
const std::vector<std::string> &activationNames();
/// Throws std::out_of_range for a name that is not among them.
Activation activationNamed(std::string_view name);

struct Swiglu {
  algebras::Lift lift;
  algebras::Groups in, hidden, out; ///< widths of x, of what is between, of y, cut into the lift's groups
  algebras::DataType dtype = algebras::DataType::BF16;
  algebras::RowTypes row_types;
  Activation activation = Activation::Silu;
  bool gate = true;
  bool bias = false; ///< one for each product
};

/// A module with the function `forward`. Its arguments are x, gate (where there is one), up, down; in the row
/// lift p0, the position of the first row, or types, a vector; and biases gate_bias, up_bias, down_bias.
/// Weights are [in, out], in the slot lift [slots, in / slots, out / slots].
///
/// What is between the products is computed in f32 from their sums and rounded once to `dtype`. The context
/// must have the alg, arith, func and math dialects loaded. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> buildSwiglu(mlir::MLIRContext &context, const Swiglu &program);

} // namespace compiler

#endif
