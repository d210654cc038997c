// Small faults planted in the module of a GPU kernel, one at a time.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>
#include <vector>

namespace mutation_test {

struct Mutation {
  std::string kind; // "delete", "parity", ...
  std::string name; // "delete nvvm.barrier #1": the second op of that name, in the order of the text
  std::string op;   // the op as it is printed
  // Changes a clone of the module that was enumerated.
  std::function<void(mlir::ModuleOp)> apply;
};

// Every fault that the suite plants in a kernel:
// - delete: an instruction is missing; a try_wait always succeeds, an election elects every lane; a settle
//   or a product hands on its operand
// - swap: two neighbouring instructions of a block change places
// - late: the last instruction of a block comes where the ways from there meet again
// - parity: a wait asks for the other parity
// - phase: a ring's parity never flips, or flips with every step
// - bytes: a barrier expects 16 bytes more or less
// - count: an mbarrier is made for one arrival more or less, a named barrier for a warp more or less
// - barrier: a named barrier has another number
// - pending: a wait leaves one group more unfinished
// - read: a wait for the writes of stores waits for their reads alone
// - descriptor: a field of a matrix descriptor: start address, leading and stride offset, base offset,
//   swizzle
// - layout: an operand counts as transposed, or not
// - sign: an operand counts as negated, or sums are overwritten
// - coordinate: a copy is off by one
// - list: another word of a list says where a group or a row is
// - matrix: stmatrix transposes, or writes 16 bytes further on
// - swizzle: a tensor map has another swizzle
// - proxy: a fence is for another proxy
// - scope: an arrival, or a wait, is for its block alone instead of for the cluster
// - address: a store to another block of the cluster, or a load of what one has stored, or of what a map
// reads of
//   an operand that has rows, is further on
// - lane: a shuffle gives a lane its own number, that of another one, or another word of the right one
// Of kernels of vector reductions also:
// - address: any load and any store is further on; a prefetch is far beyond its operand
// - question: a comparison holds always, or never, or for one number more
// - sum: a sum stays what it was; a factor counts as one
// - round: what is rounded is the other number of the pair
// - position: a position is that of the row's neighbour
// Of kernels of two layers also:
// - stage: a wait, an arrival or a copy is for the next stage
// - early: a stage is released before the wait for the products that read it
// - choice: of two parts, or of a stage and the one before it in the ring, the other
// - clip: what a map leaves beyond the last column stays
// - operands: words of a fragment change places, or are those of the product before
// - round: the numbers of a pair change places
std::vector<Mutation> mutations(mlir::ModuleOp module);

} // namespace mutation_test
