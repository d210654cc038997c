// The terms of the tile that a thread block works on: computed for Q(q), read from the terms table otherwise.
#ifndef ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_STEP_TERMS_H
#define ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_STEP_TERMS_H

#include "compiler/targets/thread_block/index_math.h"
#include "dialects/sm/sm.h"

namespace compiler {

class StepTerms {
public:
  using Value = mlir::Value;
  /// Writes what all terms of (type, output group) share, where `builder` stands.
  StepTerms(mlir::OpBuilder &builder, mlir::Location location, tile::LayoutAttr layout, Value table,
            Value type, Value group);

  Value count() const { return term_count; }

  struct Term {
    Value input_group, bank_row;
    Value negative; ///< i1, the coefficient is -1; null where it was not asked for
  };
  /// Term `ordinal` of them, in ascending input group.
  Term at(Value ordinal, bool with_sign) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  IndexMath math;
  bool computed;
  Value term_count;
  Value lower, upper;       // computed: the two groups, the same one twice where type and group are equal
  Value table, first_words; // read: where the words of the first term are
};

} // namespace compiler

#endif
