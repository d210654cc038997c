// The terms of a tile of several types of a complete graph: blocks of the bank that its types share come
// once.
#ifndef ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_SHARED_TERMS_H
#define ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_SHARED_TERMS_H

#include "compiler/targets/thread_block/index_math.h"

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
  SharedTerms(const IndexMath &math, std::int64_t types, Value first_type, Value present, Value group);

  Value count() const { return term_count; }

  struct Term {
    Value group;  ///< of X, and the row of the bank's blocks
    Value part;   ///< to which its products belong, where it is not shared
    Value shared; ///< i1: by all parts
  };
  /// Term `ordinal` of them.
  Term at(const IndexMath &math, Value ordinal) const;

private:
  Value first_type, group;
  Value straight; ///< parts before the type wraps around
  Value wrapped;  ///< and behind: types 0, 1, ...
  Value below;    ///< types below j, and so the ordinal of the shared term
  Value inserted; ///< 1 where the shared term is no type's own
  Value term_count;
};

} // namespace compiler

#endif
