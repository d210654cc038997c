// The terms of a tile of several types of a complete graph: blocks of the weight matrix that its types share
// come once.
#pragma once

#include "compiler/lower/integer_arithmetic.h"

namespace compiler {

/// Of the types of a tile and an output group j of Q(q). Type i reads the groups i and j; what it multiplies
/// with is W(i, j), for its own group, and W(j, j), which is the same block for all types. The tile's terms
/// are those of all its types in ascending order of the input group, with the shared one in its place once:
/// so is the order of each type's terms.
class SharedTerms {
public:
  using Value = mlir::Value;
  /// Part p of the tile, p < present, has the type (first_type + p) mod types. There is at least one part,
  /// and no type twice.
  SharedTerms(const IntegerArithmetic &math, int64_t types, Value first_type, Value present, Value group);

  Value count() const { return term_count_; }

  struct Term {
    Value group;  ///< of X, and the row of the weight matrix's blocks
    Value part;   ///< to which its products belong, where it is not shared
    Value shared; ///< i1: by all parts
  };
  /// Term `ordinal` of them.
  Term at(const IntegerArithmetic &math, Value ordinal) const;

private:
  Value first_type_, group_;
  Value straight_; ///< parts before the type wraps around
  Value wrapped_;  ///< and behind: types 0, 1, ...
  Value below_;    ///< types below j, and so the ordinal of the shared term
  Value inserted_; ///< 1 where the shared term is no type's own
  Value term_count_;
};

} // namespace compiler
