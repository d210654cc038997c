// The terms of the tile that a thread block works on: computed for Q(q), read from the terms table otherwise.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "compiler/schedule/coefficients.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// Words of the lists of groups with which the terms table begins: none where all groups of a kind have one
/// width.
int64_t wordsOfGroupStarts(tile::LayoutAttr layout);

class StepTerms {
public:
  using Value = mlir::Value;
  /// Writes what all terms of (type, output group) share, where the builder of `math` stands.
  /// `coefficients` is what of them the program asks for: nothing, a bit of the weight matrix row (signs), or
  /// a word of their own, where terms with one coefficient stand together. The terms table has two forms for
  /// it, see runtime/gpu_kernel_abi.h. Of a complete graph `diagonal_first` puts the block that all types
  /// share before the type's own; otherwise terms ascend.
  StepTerms(const IntegerArithmetic &math, tile::LayoutAttr layout, Coefficients coefficients, Value table,
            Value type, Value group, bool diagonal_first = false);

  /// Of the terms, or their pieces.
  Value count() const { return term_count_; }
  /// Whether a term is there once for each depth of its input group, as where groups have unequal widths.
  bool arePieces() const { return pieces_; }

  struct Term {
    Value input_group, weight_row;
    Value negative; ///< i1, the coefficient is -1; null but for Coefficients::Signs
    Value column;   ///< of the input group, with which the piece begins; null but for pieces
  };
  /// Term `ordinal` of them.
  Term at(Value ordinal) const;

  struct Coefficient {
    Value number;   ///< f32
    Value ends_run; ///< i1, the next term has another one or there is none
  };
  /// Of term `ordinal`. Only for Coefficients::General.
  Coefficient coefficientAt(Value ordinal) const;
  /// The same of any list of `count` terms, the bits of whose coefficients `read` writes the reading of.
  static Coefficient coefficientAmong(const IntegerArithmetic &math, Value ordinal, Value count,
                                      llvm::function_ref<Value(Value)> read);

private:
  int64_t weightWord() const { return pieces_ ? 2 : 1; }
  int64_t wordsOfTerm() const { return weightWord() + (coefficients_ == Coefficients::General ? 2 : 1); }
  Value read(Value ordinal, int64_t word) const;

  IntegerArithmetic math_;
  Coefficients coefficients_;
  bool pieces_, computed_;
  Value term_count_;
  // Computed: the two groups in their order, the same one twice where type and group are equal. Transposed,
  // the first of the groups that follow one another, and null.
  Value lower_, upper_;
  Value table_, first_words_; // read: where the words of the first term are
};

} // namespace compiler
