#include "compiler/lower/map_cycles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

int64_t MapOperations::cycles() const {
  constexpr int64_t cycles_of_special = 8;
  return std::max(all, cycles_of_special * special);
}

/// Signs and magnitudes are part of the operations that read them, and conversions are counted with what is
/// stored.
static MapOperations operationsOf(Operation &op) {
  constexpr MapOperations nothing, one{1, 0}, exponential{2, 1}, quotient{2, 1}, one_more_by_tanh{4, 2},
      one_more_by_erf{16, 2}, by_polynomial{24, 0};
  return llvm::TypeSwitch<Operation *, MapOperations>(&op)
      .Case<arith::ConstantOp, arith::NegFOp, math::AbsFOp, arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return nothing; })
      .Case<math::ExpOp, math::Exp2Op>([&](auto) { return exponential; })
      .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp>([&](auto) { return quotient; })
      .Case([&](math::TanhOp) { return one_more_by_tanh; })
      .Case([&](math::ErfOp) { return one_more_by_erf; })
      .Default([&](Operation *other) {
        return isa<math::MathDialect>(other->getDialect()) && !isa<math::FmaOp>(other) ? by_polynomial : one;
      });
}

void countOperations(Block &body, MapOperations &operations) {
  for (Operation &op : body.without_terminator()) {
    const MapOperations of_op = operationsOf(op);
    operations.all += of_op.all;
    operations.special += of_op.special;
  }
}

} // namespace compiler
