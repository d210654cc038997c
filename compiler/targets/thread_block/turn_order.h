// In which order a thread block, or a cluster, takes its tiles where some take much longer than the others.
#pragma once

#include "compiler/lower/integer_arithmetic.h"

namespace compiler {

/// Two kinds of turns, dealt to workers so that all end at about the same time: first the long ones in turn,
/// then the short ones. Where the long ones are no multiple of the workers, those that got one less are
/// ahead: they take up to `weight` short turns first.
class TurnOrder {
public:
  using Value = mlir::Value;
  /// Writes what all turns of worker number `worker` of `workers` share. A long turn takes about as long as
  /// `weight` short ones.
  TurnOrder(const IntegerArithmetic &math, Value long_turns, Value short_turns, Value worker, Value workers,
            Value weight);

  /// Turns of this worker.
  Value count() const { return turns_; }

  struct Turn {
    Value is_long; ///< i1
    Value number;  ///< among the turns of its kind
  };
  /// Its turn `ordinal`.
  Turn at(const IntegerArithmetic &math, Value ordinal) const;

private:
  Value worker_, workers_, turns_;
  Value mine_long_; ///< long turns of this worker
  Value ahead_;     ///< workers with one long turn less than the others, at least 1; the last ones
  Value place_;     ///< of this one among them
  Value filling_;   ///< short turns that they take first, and those of them that this one takes
  Value mine_filling_;
};

} // namespace compiler
