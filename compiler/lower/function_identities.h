// Functions of math by other functions, where what MLIR writes for them loses accuracy, or a number.
#pragma once

#include "mlir/IR/Block.h"

namespace compiler {

/// Replaces in the body of a map, of f32:
/// - powers: of a negative number those with whole exponents are numbers, and of anything those with exponent
///   0 are 1; by squaring where the exponent is a constant of at most 64, else by exponential and logarithm;
/// - sines, cosines and tangents: the argument less the nearest multiple of pi/2, from two parts of that,
/// so that the
///   error is absolute, below 2e-7, up to 1e6;
/// - hyperbolic sines and cosines and the inverse functions, for all numbers whose results are numbers.
void replaceByIdentities(mlir::Block &body);

} // namespace compiler
