// Faults planted in kernels that are written as instructions at once, of memory and arithmetic.
#pragma once

#include "tests/mutation/mutations.h"

namespace mutation_test {

// Those of all kernels, and beside them, by the number of the op in the module:
// - delete: a store or an atomic is missing; an addition of floating-point numbers hands on its operand
// - address: an access is 4 bytes further on
// - never, always: a comparison of integers is false, or true
std::vector<Mutation> mutationsOfPlainCode(mlir::ModuleOp module);

} // namespace mutation_test
