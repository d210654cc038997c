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
    results. What is a result in any case is not returned twice: the gradient takes it by the result's name. Maps, which cost
    little, are computed again.

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

def AlgCopyResults : Pass<"alg-copy-results", "mlir::ModuleOp"> {
  let summary = "Give results that are one value a tensor each";
  let description = [{
    A program writes each of its results to a tensor that its caller gives. Where two results are one value, as the gradients of two
    operands of a sum are, the second one becomes a map that passes on the elements of the first, or the same reduction, or arithmetic of reductions,
    once more. What is no operation's, an argument that is returned twice, stays as it is, and is refused where steps are made. The
    canonical form leaves such maps, and those whose operand is an argument of the function, as they are.
  }];
  let dependentDialects = ["alg::AlgDialect"];
}

def AlgFuse : Pass<"alg-fuse", "mlir::ModuleOp"> {
  let summary = "Decide which operations share a kernel, and write programs as calls of kernels";
  let description = [{
    Each public function becomes calls of private functions, its kernels, with tensors between them. A kernel is

    - a contraction of mode `k` or `i` with element-wise maps of its result, which are computed from the sums before these are
      stored: an output slot `(i, j)` depends on the input groups that `B(i, j)` names, and on nothing that another
      worker computes;
    - several contractions that read the same activations with the same terms, and a map of them: gate and up of a
      SwiGLU network;
    - with `layers`, such a kernel and products of mode `k` of what it leaves, by the same algebra, with their maps: a whole SwiGLU
      network. The supports close: output slot `(i, j)` depends on the hidden groups `B(i, j)` of its own row, and each of these on
      input groups of that row, so that whoever owns the row makes them. The hidden state is then nowhere as a whole, and no other
      step reads it;
    - maps of maps, and the reduction of such;
    - anything else alone: a gradient of weights, a reduction of a contraction's result, a sum of statistics.

    Fusion changes no number: what is rounded is said by the types (`alg.contract`), which stay. A map joins what it reads where the
    kernel then has no more results than `results` says, alone or with all other maps that read the same: sums that nobody else
    reads are then nowhere as a whole. Where a map reads several products that cannot be one kernel, it joins that with which its
    kernel and those of the maps with it store the fewest bytes.

    For each step that reads the result of another kernel a remark says why the two are apart, at the step, with a note at what it reads.
    What stays apart is a step with a buffer before it, and always correct.
  }];
  let options = [
    Option<"results", "results", "int64_t", "1", "results of a kernel, at most">,
    Option<"layers", "layers", "bool", "false", "products may join the kernel that makes their rows">,
    ListOption<"one_layer", "one-layer", "std::string", "with `layers`: programs whose kernels have one all the same">,
    Option<"remarks", "remarks", "bool", "true", "say what stays apart, and why">,
    Option<"apart", "apart", "bool", "false", "every operation is a kernel of its own, for comparison">,
  ];
  let dependentDialects = ["alg::AlgDialect", "mlir::func::FuncDialect"];
}

def AlgListRows : Pass<"alg-list-rows", "mlir::func::FuncOp"> {
  let summary = "Read the type of each row from a vector, whatever schedule gives the rows their types";
  let description = [{
    Rows of `cyclic` or `interval` types, which follow from the position of the first row, become rows of `explicit` types: the
    argument of the position becomes one of a vector with the type of each row. A kernel of the function then takes rows at any
    positions, once their types are known.

    A function whose rows have no types, or explicit ones, stays as it is. It is an error if rows begin at a position that is no
    argument, or one that something else reads.
  }];
  let dependentDialects = ["alg::AlgDialect"];
}

def AlgCompose : Pass<"alg-compose", "mlir::ModuleOp"> {
  let summary = "Multiply weights by weights where two products follow each other";
  let description = [{
    `(x w) v = x (w v)` over an associative algebra, where nothing stands between the products and nobody else reads the inner one:
    the composition `w v` is a contraction of two weight matrices. The inner product is then not rounded to its element
    type, and the composition is.

    It pays where it saves multiplications: for `rows` rows whose types are equally frequent, those of `x w` and of `(x w) v` are
    more than those of `x (w v)` and of the composition. With `constant` weights do not change and the composition, which is made
    once, costs nothing. With `kernels` a product is composed only where a kernel multiplies the weights: in the lift by rows, where
    the rows of all types come in intervals of one width.

    At each product of a product a remark says what became of the two and why, with a note at the inner one.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "2048", "rows of activations whose number is not in their type">,
    Option<"constant", "constant", "bool", "false", "the weights are the same in all calls">,
    Option<"kernels", "kernels", "bool", "false", "compose only what a kernel computes">,
    Option<"remarks", "remarks", "bool", "true", "say what is composed, what is not, and why">,
  ];
  let dependentDialects = ["alg::AlgDialect"];
}

#endif
