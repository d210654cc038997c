#include "compiler/targets/thread_block/shared_terms.h"

using namespace mlir;

namespace compiler {

SharedTerms::SharedTerms(const IntegerArithmetic &math, int64_t types, Value first_type, Value present,
                         Value group)
    : first_type_(first_type), group_(group) {
  // In ascending order the types of the tile are 0, 1, ..., wrapped - 1, first_type, first_type + 1, ...
  straight_ = math.least(present, math.subtract(types, first_type));
  wrapped_ = math.subtract(present, straight_);
  // How many of them are below j. The second difference may be negative.
  Value below_first = math.least(group, wrapped_);
  Value between = math.least(math.greatest(math.subtract(group, first_type), 0), straight_);
  below_ = math.add(below_first, between);
  const Value is_wrapped = math.less(group, wrapped_);
  const Value is_straight =
      math.both(math.atLeast(group, first_type), math.less(group, math.add(first_type, straight_)));
  inserted_ = math.select(math.either(is_wrapped, is_straight), 0, 1);
  term_count_ = math.add(present, inserted_);
}

SharedTerms::Term SharedTerms::at(const IntegerArithmetic &math, Value ordinal) const {
  Term term;
  term.shared = math.equal(ordinal, below_);
  // Which of the types in ascending order.
  Value place = math.select(math.less(below_, ordinal), math.subtract(ordinal, inserted_), ordinal);
  Value behind = math.less(place, wrapped_);
  Value rest = math.subtract(place, wrapped_); // negative where the type has wrapped around
  term.part = math.select(behind, math.add(straight_, place), rest);
  Value type = math.select(behind, place, math.add(first_type_, rest));
  term.group = math.select(term.shared, group_, type);
  return term;
}

} // namespace compiler
