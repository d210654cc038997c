// Arithmetic on `index` at a builder's place. An index of a kernel is 32 bits wide and never negative unless
// a comment says so; hence the unsigned divisions, which are the cheaper ones.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace compiler {

class IndexMath {
public:
  using Value = mlir::Value;
  IndexMath(mlir::OpBuilder &builder, mlir::Location location) : builder_(builder), location_(location) {}

  Value constant(int64_t value) const { return make<mlir::arith::ConstantIndexOp>(value); }
  Value add(Value a, Value b) const { return make<mlir::arith::AddIOp>(a, b); }
  Value add(Value a, int64_t b) const { return add(a, constant(b)); }
  Value subtract(Value a, Value b) const { return make<mlir::arith::SubIOp>(a, b); }
  Value multiply(Value a, Value b) const { return make<mlir::arith::MulIOp>(a, b); }
  Value multiply(Value a, int64_t b) const { return multiply(a, constant(b)); }
  Value divide(Value a, Value b) const { return make<mlir::arith::DivUIOp>(a, b); }
  Value divide(Value a, int64_t b) const { return divide(a, constant(b)); }
  Value remainder(Value a, Value b) const { return make<mlir::arith::RemUIOp>(a, b); }
  Value remainder(Value a, int64_t b) const { return remainder(a, constant(b)); }
  Value shiftLeft(Value a, Value bits) const { return make<mlir::arith::ShLIOp>(a, bits); }
  Value bitOr(Value a, Value b) const { return make<mlir::arith::OrIOp>(a, b); }
  Value ceilDivide(Value a, int64_t b) const { return divide(add(a, b - 1), b); }
  Value least(Value a, Value b) const { return make<mlir::arith::MinSIOp>(a, b); }
  Value greatest(Value a, Value b) const { return make<mlir::arith::MaxSIOp>(a, b); }
  /// Signed comparisons.
  Value less(Value a, Value b) const { return compare(mlir::arith::CmpIPredicate::slt, a, b); }
  Value atLeast(Value a, Value b) const { return compare(mlir::arith::CmpIPredicate::sge, a, b); }
  Value equal(Value a, Value b) const { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
  Value select(Value condition, Value a, Value b) const {
    return builder_.createOrFold<mlir::arith::SelectOp>(location_, condition, a, b);
  }
  /// On conditions.
  Value both(Value a, Value b) const { return make<mlir::arith::AndIOp>(a, b); }
  Value either(Value a, Value b) const { return make<mlir::arith::OrIOp>(a, b); }
  /// 1 where the condition holds, else 0.
  Value count(Value condition) const { return select(condition, constant(1), constant(0)); }
  Value fromWord(Value word) const { return make<mlir::arith::IndexCastOp>(builder_.getIndexType(), word); }
  /// A word of the terms table, and of the row list that some maps have.
  Value readTerms(Value table, Value position) const {
    return fromWord(sm::ReadTermsOp::create(builder_, location_, builder_.getI32Type(), table, position));
  }
  Value readRowList(Value maps, Value position) const {
    return fromWord(sm::ReadRowListOp::create(builder_, location_, builder_.getI32Type(), maps, position));
  }

private:
  template <class Op, class... Arguments> Value make(Arguments... arguments) const {
    return builder_.createOrFold<Op>(location_, arguments...);
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b) const {
    return builder_.createOrFold<mlir::arith::CmpIOp>(location_, predicate, a, b);
  }

  mlir::OpBuilder &builder_;
  mlir::Location location_;
};

} // namespace compiler
