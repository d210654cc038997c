// The steps of a tile of dW: rows of X and dY, some at a time, of every term of its block of the weight
// matrix.
#pragma once

#include "compiler/targets/thread_block/row_segments.h"
#include "compiler/targets/thread_block/step_terms.h"

namespace compiler {

/// The terms of block (weight row, group), computed for Q(q) and read from the terms table otherwise. Where
/// every type has the same term, the rows of all types are taken as they lie, as one segment of all rows, for
/// which maps of X and dY have one map more than for the others' segments; or all entries of a row list
/// (runtime/gpu_kernel_abi.h). Or type after type, where the diagonal of Q(q) is to go through memory beside
/// the other blocks.
class WeightSteps {
public:
  using Value = mlir::Value;

  /// In which order the rows of all types are taken.
  enum class AllRows {
    AsTheyLie,
    /// Of Q(q) type after type, as the tiles of other blocks are numbered: then what these bring into the
    /// second-level cache serves the diagonal, too. Where pieces of types would be a good deal of zeros, rows
    /// come as they lie.
    TypeAfterType
  };

  /// Writes what all steps share, where the builder of `math` stands. `rows` is M, of which a step takes
  /// `depth`.
  WeightSteps(const IntegerArithmetic &math, tile::LayoutAttr layout, Coefficients coefficients, Value table,
              const RowSegments &segments, Value rows, int64_t depth, Value weight_row, Value group,
              AllRows all_rows);

  /// Maps of X, and of dY.
  static int64_t maps(alg::RowTypesAttr types) {
    return RowSegments::maps(types) + (RowSegments::areListed(types) ? 0 : 1);
  }
  /// Words of a term in the terms table.
  static int64_t wordsOfTerm(Coefficients coefficients) {
    return coefficients == Coefficients::General ? 4 : 3;
  }

  Value count() const { return step_count_; }

  struct Step {
    Value map, segment, row; ///< the first three coordinates of its rows but for the features
    Value input_group, output_group;
    Value negative;  ///< i1, the coefficient is -1; null but for Coefficients::Signs
    Value ordinal;   ///< of its term
    Value ends_term; ///< i1; only for Coefficients::General, else null
  };
  Step at(Value step) const;

  /// Of term `ordinal`. Only for Coefficients::General.
  StepTerms::Coefficient coefficientAt(Value ordinal) const;

private:
  Value read(Value ordinal, int64_t word) const;
  /// Where the rows of the piece of that number of a type begin, or of all types where `is_all` holds.
  void locate(Step &step, Value is_all, Value type, Value piece) const;

  IntegerArithmetic math_;
  tile::LayoutAttr layout_;
  Coefficients coefficients_;
  const RowSegments &segments_;
  int64_t depth_;
  bool computed_;
  Value weight_row_, group_;
  Value is_all_;                ///< i1: the block's terms are of all types together
  Value by_type_, as_they_lie_; ///< i1: these type after type, or not; null where they never are
  Value steps_of_type_;         ///< where they are
  Value term_count_, steps_of_term_, step_count_;
  Value table_, first_words_; ///< read: where the words of the first term are
};

} // namespace compiler
