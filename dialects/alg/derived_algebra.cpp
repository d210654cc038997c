#include "dialects/alg/derived_algebra.h"
#include <mutex>
#include <optional>

using namespace alg;

struct DerivedAlgebra::Record {
  explicit Record(const algebras::Algebra &source)
      : algebra(source), text(source.expression()), field(source.field().name()), facts(deriveFacts(source)) {
  }

  const algebras::Algebra algebra;
  const std::string text, field;
  const algebras::Facts facts;
  // Row lifts of large tables of types, slot lifts and their transposes are rarely all needed.
  struct Lifts {
    std::once_flag once, transposed_once;
    std::optional<algebras::Lift> lift, transposed;
  };
  Lifts rows, slots;
  Lifts &lifts(algebras::Lift::Kind kind) { return kind == algebras::Lift::Kind::Rows ? rows : slots; }
};

DerivedAlgebra::DerivedAlgebra(const algebras::Algebra &algebra)
    : record_(std::make_shared<Record>(algebra)) {}

const std::string &DerivedAlgebra::text() const { return record_->text; }

const algebras::Algebra &DerivedAlgebra::algebra() const { return record_->algebra; }

const algebras::Facts &DerivedAlgebra::facts() const { return record_->facts; }

const algebras::Lift *DerivedAlgebra::lift(algebras::Lift::Kind kind) const {
  const bool rows = kind == algebras::Lift::Kind::Rows;
  if (rows && !record_->algebra.hasPositions())
    return nullptr;
  Record::Lifts &own = record_->lifts(kind);
  std::call_once(own.once, [&] {
    own.lift = rows ? algebras::Lift::rows(record_->algebra) : algebras::Lift::slots(record_->algebra);
  });
  return &*own.lift;
}

const algebras::Lift *DerivedAlgebra::transposedLift(algebras::Lift::Kind kind) const {
  const algebras::Lift *forward = lift(kind);
  if (!forward)
    return nullptr;
  Record::Lifts &own = record_->lifts(kind);
  std::call_once(own.transposed_once, [&] { own.transposed = forward->transposed(); });
  return &*own.transposed;
}

bool alg::operator==(const DerivedAlgebra &a, const DerivedAlgebra &b) {
  return a.record_ == b.record_ ||
         (a.record_->text == b.record_->text && a.record_->field == b.record_->field);
}

llvm::hash_code alg::hash_value(const DerivedAlgebra &derived) {
  return llvm::hash_combine(derived.record_->text, derived.record_->field);
}
