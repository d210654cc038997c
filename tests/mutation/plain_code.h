// Faults planted in kernels that are written as instructions at once, of memory and arithmetic.
#pragma once

#include "tests/mutation/mutations.h"

namespace mutation_test {

// Those of all kernels, and beside them, by the number of the op in the module:
// - delete: a store or an atomic is missing; an addition of floating-point numbers hands on its operand
// - address: an access is 4 bytes further on
// - never, always: a comparison of integers is false, or true
std::vector<Mutation> mutationsOfPlainCode(mlir::ModuleOp module);

// Of kernels of element-wise functions these, and
// - delete: a maximum or a product hands on its operand, a choice is always the first or the second
// - one further: a comparison holds for one number more
// - element: an element of a vector is its neighbour, or goes to its neighbour's place
// - position: what is divided into rows and columns, or threads into slices, is one more
// - stride: a row is one element further from the one before
std::vector<Mutation> mutationsOfElements(mlir::ModuleOp module);

} // namespace mutation_test
