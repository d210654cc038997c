// An algebra together with everything that is derived from it once: its text, its facts, its lifts.
#pragma once
#include "algebras/algebra.h"
#include "algebras/facts.h"
#include "algebras/lift.h"
#include "llvm/ADT/Hashing.h"
#include <memory>
#include <string>

namespace alg {

/// A shared immutable value. Two of them are equal when their fields and their canonical texts are equal, so
/// that attributes which hold equal algebras are one attribute.
class DerivedAlgebra {
public:
  /// Derives the facts at once, the lifts when they are first asked for. Throws algebras::InputError where
  /// the facts contradict what the algebra claims (a table whose identity is none).
  explicit DerivedAlgebra(const algebras::Algebra &algebra);

  /// The self-contained expression, algebras::Algebra::expression().
  const std::string &text() const;
  const algebras::Algebra &algebra() const;
  const algebras::Facts &facts() const;
  /// Null for the row lift of an algebra that is not matrix-like. Thread-safe.
  const algebras::Lift *lift(algebras::Lift::Kind kind) const;
  /// The same lift transposed (algebras/lift.h).
  const algebras::Lift *transposedLift(algebras::Lift::Kind kind) const;

  friend bool operator==(const DerivedAlgebra &a, const DerivedAlgebra &b);
  friend llvm::hash_code hash_value(const DerivedAlgebra &derived);

private:
  struct Record;
  std::shared_ptr<Record> record_;
};

} // namespace alg
