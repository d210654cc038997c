// Passes over programs of the alg dialect.
#ifndef ALGCTL_COMPILER_PROGRAM_PASSES
#define ALGCTL_COMPILER_PROGRAM_PASSES

include "mlir/Pass/PassBase.td"

def AlgDifferentiate : Pass<"alg-differentiate", "mlir::ModuleOp"> {
  let summary = "Write the function that takes the gradients of results to those of arguments";
  let description = [{
    Adds to the module the gradient of one of its functions. The rule of `alg.contract` is `alg.contract` with another index
    open: a product of mode `k` gives contractions of modes `i` and `j`, and likewise for those. The rule of
    `alg.map` is the chain rule on its body. An operand that is spread over rows, columns or both has a gradient that is
    summed over them by `alg.reduce`, and the gradient of a sum is spread again. Elements that are equal to a maximum share its gradient.

    The new function takes those arguments of the old one that it reads, in their order, and before the first argument that is asked
    for the gradients of the results. For a projection `forward(x, w, p0)` the gradient of `x` is therefore `(dy, w, p0)`, that of
    `w` is `(x, dy, p0)`.

    What the gradient needs of the forward program is computed again. With `keeping`, contractions and reductions are not: a further
    function of that name returns them after the results, and the gradient takes them after the gradients of the
    results. Maps, which cost little, are computed again in any case.

    An operation that has no rule is an error where a gradient goes through it.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"forward\"", "the function">,
    ListOption<"arguments", "arguments", "std::string",
               "arguments whose gradients are wanted, by number or by name; all tensors of floats when empty">,
    Option<"name", "name", "std::string", "\"\"", "of the new function; FUNCTION_gradient when empty">,
    Option<"keeping", "keeping", "std::string", "\"\"",
           "name of a function that returns what the gradient needs; nothing is kept when empty">,
  ];
  let dependentDialects = ["alg::AlgDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

#endif
