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
  // Row lifts of large tables of types and slot lifts are rarely both needed.
  std::once_flag rows_once, slots_once;
  std::optional<algebras::Lift> rows, slots;
};

DerivedAlgebra::DerivedAlgebra(const algebras::Algebra &algebra)
    : record(std::make_shared<Record>(algebra)) {}

const std::string &DerivedAlgebra::text() const { return record->text; }

const algebras::Algebra &DerivedAlgebra::algebra() const { return record->algebra; }

const algebras::Facts &DerivedAlgebra::facts() const { return record->facts; }

const algebras::Lift *DerivedAlgebra::lift(algebras::Lift::Kind kind) const {
  if (kind == algebras::Lift::Kind::Slots) {
    std::call_once(record->slots_once, [&] { record->slots = algebras::Lift::slots(record->algebra); });
    return &*record->slots;
  }
  if (!record->algebra.isMatrixLike())
    return nullptr;
  std::call_once(record->rows_once, [&] { record->rows = algebras::Lift::rows(record->algebra); });
  return &*record->rows;
}

bool alg::operator==(const DerivedAlgebra &a, const DerivedAlgebra &b) {
  return a.record == b.record || (a.record->text == b.record->text && a.record->field == b.record->field);
}

llvm::hash_code alg::hash_value(const DerivedAlgebra &derived) {
  return llvm::hash_combine(derived.record->text, derived.record->field);
}
