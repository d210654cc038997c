// Integer arithmetic at a builder's place: the one vocabulary of all that writes indices, offsets and counts.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <concepts>
#include <cstdint>

namespace compiler {

/// Writes operations of `arith` on index, i32 or i64, or nothing where what is known of the operands gives
/// the result. The same arithmetic written twice is for CSE to find.
///
/// What kernels count is never negative unless a comment says so. Hence divisions, shifts to the right and
/// `below` are unsigned, which is the cheaper way; `less`, `atMost`, `atLeast`, `least` and `greatest` are
/// signed, because differences come into them.
class IntegerArithmetic {
public:
  using Value = mlir::Value;

  /// A value, or a number known here, which has the type of the operand beside it.
  class Operand {
  public:
    Operand(std::convertible_to<Value> auto value) : value_(value) {}
    Operand(int64_t number) : number_(number) {}

  private:
    friend class IntegerArithmetic;
    Value value_;
    int64_t number_ = 0;
  };

  /// How `divide`, `remainder` and `ceilDivide` read their operands.
  enum class Division { Unsigned, Signed };

  /// Numbers with no value beside them are of `type`.
  IntegerArithmetic(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                    Division division = Division::Unsigned)
      : location(location), builder_(builder), type_(type), signed_(division == Division::Signed) {}
  IntegerArithmetic(mlir::OpBuilder &builder, mlir::Location location)
      : IntegerArithmetic(builder, location, builder.getIndexType()) {}

  Value constant(int64_t value) const { return constant(value, type_); }
  Value constant(int64_t value, mlir::Type type) const {
    const unsigned bits =
        type.isIndex() ? mlir::IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
    return make<mlir::arith::ConstantOp>(
        mlir::IntegerAttr::get(type, llvm::APInt(bits, value, /*isSigned=*/true, /*implicitTrunc=*/true)));
  }

  Value add(Operand a, Operand b) const { return binary<mlir::arith::AddIOp>(a, b); }
  Value subtract(Operand a, Operand b) const { return binary<mlir::arith::SubIOp>(a, b); }
  Value multiply(Operand a, Operand b) const { return binary<mlir::arith::MulIOp>(a, b); }
  Value divide(Operand a, Operand b) const {
    return signed_ ? binary<mlir::arith::DivSIOp>(a, b) : binary<mlir::arith::DivUIOp>(a, b);
  }
  Value remainder(Operand a, Operand b) const {
    return signed_ ? binary<mlir::arith::RemSIOp>(a, b) : binary<mlir::arith::RemUIOp>(a, b);
  }
  Value ceilDivide(Operand a, int64_t b) const {
    return signed_ ? binary<mlir::arith::CeilDivSIOp>(a, b) : divide(add(a, b - 1), b);
  }
  Value least(Operand a, Operand b) const { return binary<mlir::arith::MinSIOp>(a, b); }
  Value greatest(Operand a, Operand b) const { return binary<mlir::arith::MaxSIOp>(a, b); }

  Value bitAnd(Operand a, Operand b) const { return binary<mlir::arith::AndIOp>(a, b); }
  Value bitOr(Operand a, Operand b) const { return binary<mlir::arith::OrIOp>(a, b); }
  Value bitXor(Operand a, Operand b) const { return binary<mlir::arith::XOrIOp>(a, b); }
  Value shiftLeft(Operand a, Operand bits) const { return binary<mlir::arith::ShLIOp>(a, bits); }
  Value shiftRight(Operand a, Operand bits) const { return binary<mlir::arith::ShRUIOp>(a, bits); }

  /// Conditions are i1.
  Value equal(Operand a, Operand b) const { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
  Value differ(Operand a, Operand b) const { return compare(mlir::arith::CmpIPredicate::ne, a, b); }
  Value less(Operand a, Operand b) const { return compare(mlir::arith::CmpIPredicate::slt, a, b); }
  Value atMost(Operand a, Operand b) const { return compare(mlir::arith::CmpIPredicate::sle, a, b); }
  Value atLeast(Operand a, Operand b) const { return compare(mlir::arith::CmpIPredicate::sge, a, b); }
  /// Unsigned, so that what is negative is above all.
  Value below(Operand a, Operand b) const { return compare(mlir::arith::CmpIPredicate::ult, a, b); }
  Value compare(mlir::arith::CmpIPredicate predicate, Operand a, Operand b) const {
    return binary<mlir::arith::CmpIOp>(a, b, predicate);
  }
  /// Null stands for what always holds.
  Value both(Value a, Value b) const { return a && b ? make<mlir::arith::AndIOp>(a, b) : a ? a : b; }
  Value either(Value a, Value b) const { return make<mlir::arith::OrIOp>(a, b); }
  /// Of values that need not be integers, too.
  Value select(Value condition, Operand yes, Operand no) const {
    return binary<mlir::arith::SelectOp>(yes, no, condition);
  }
  /// 1 where the condition holds, else 0.
  Value count(Value condition) const { return select(condition, 1, 0); }

  Value asIndex(Value integer) const {
    return make<mlir::arith::IndexCastOp>(builder_.getIndexType(), integer);
  }
  Value asWord(Value index) const { return make<mlir::arith::IndexCastOp>(builder_.getI32Type(), index); }
  /// An i32 as i64, and one that may be negative.
  Value wide(Value word) const { return make<mlir::arith::ExtUIOp>(builder_.getI64Type(), word); }
  Value wideSigned(Value word) const { return make<mlir::arith::ExtSIOp>(builder_.getI64Type(), word); }

  /// Any operation with one result, folded.
  template <class Op, class... Arguments> Value make(const Arguments &...arguments) const {
    return builder_.createOrFold<Op>(location, arguments...);
  }

protected:
  mlir::Location location;

private:
  template <class Op, class... First> Value binary(Operand a, Operand b, First... first) const {
    const mlir::Type type = a.value_ ? a.value_.getType() : b.value_ ? b.value_.getType() : type_;
    Value left = a.value_ ? a.value_ : constant(a.number_, type);
    Value right = b.value_ ? b.value_ : constant(b.number_, type);
    return make<Op>(first..., left, right);
  }

  mlir::OpBuilder &builder_;
  mlir::Type type_;
  bool signed_;
};

} // namespace compiler
