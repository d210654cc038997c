// The terms of the tile that a thread block works on: computed for Q(q), read from the terms table otherwise.
#ifndef ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_STEP_TERMS_H
#define ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_STEP_TERMS_H

#include "compiler/targets/thread_block/index_math.h"
#include "dialects/sm/sm.h"

namespace compiler {

class StepTerms {
public:
  using Value = mlir::Value;
  /// What of the terms' coefficients a program asks for. The terms table has two forms for it, see
  /// runtime/gpu_kernel_abi.h.
  enum class Coefficients {
    None,    ///< all are 1
    Signs,   ///< a bit of the bank row
    Numbers, ///< a word of their own; terms with one coefficient stand together
  };

  /// Writes what all terms of (type, output group) share, where `builder` stands.
  StepTerms(mlir::OpBuilder &builder, mlir::Location location, tile::LayoutAttr layout,
            Coefficients coefficients, Value table, Value type, Value group);

  Value count() const { return term_count; }

  struct Term {
    Value input_group, bank_row;
    Value negative; ///< i1, the coefficient is -1; null but for Coefficients::Signs
  };
  /// Term `ordinal` of them.
  Term at(Value ordinal) const;

  struct Coefficient {
    Value number;   ///< f32
    Value ends_run; ///< i1, the next term has another one or there is none
  };
  /// Of term `ordinal`. Only for Coefficients::Numbers.
  Coefficient coefficientAt(Value ordinal) const;
  /// The same of any list of `count` terms, the bits of whose coefficients `read` writes the reading of.
  static Coefficient coefficientAmong(const IndexMath &math, mlir::OpBuilder &builder,
                                      mlir::Location location, Value ordinal, Value count,
                                      llvm::function_ref<Value(Value)> read);

private:
  std::int64_t wordsOfTerm() const { return coefficients == Coefficients::Numbers ? 3 : 2; }
  Value read(Value ordinal, std::int64_t word) const;

  mlir::OpBuilder &builder;
  mlir::Location location;
  IndexMath math;
  Coefficients coefficients;
  bool computed;
  Value term_count;
  // Computed: the two groups, the same one twice where type and group are equal. Transposed, the first of the
  // groups that follow one another, and null.
  Value lower, upper;
  Value table, first_words; // read: where the words of the first term are
};

} // namespace compiler

#endif
