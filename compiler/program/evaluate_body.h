// The body of a map as steps of double arithmetic.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <vector>

namespace compiler {

/// One operation on up to three numbers; those that it does not take are 0. A truth value is 0 or 1.
using ScalarFunction = double (*)(double, double, double);

/// Null for what is no scalar operation that can be computed.
ScalarFunction scalarFunction(mlir::Operation *op);

/// What conversions to bf16 do: nothing, or for a draw above 0 they move a number by what rounding may
/// do at most, up or down as by chance: 2^-9 of it. What comes of that is how far rounding may take a result.
struct Rounding {
  unsigned draw = 0;

  double operator()(double number) const;
};

class ScalarProgram {
public:
  /// Numbers from outside of the block come from `outside`, which says nothing where it does not know them.
  /// Failure after an error at an operation that cannot be computed.
  static mlir::FailureOr<ScalarProgram>
  compile(mlir::Block &body, llvm::function_ref<std::optional<double>(mlir::Value)> outside,
          Rounding rounding = {});

  /// What the block yields for its arguments. Not for several threads at once.
  double run(llvm::ArrayRef<double> arguments);

private:
  struct Step {
    ScalarFunction function;
    unsigned operands[3];
    unsigned result;
    bool rounds = false; ///< to bf16
  };
  Rounding rounding_;
  std::vector<double> values_;
  std::vector<Step> steps_;
  unsigned yielded_ = 0;
};

} // namespace compiler
