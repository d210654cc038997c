// Programs of a bundle as one operator.
#pragma once

#include "python/operators/bundles.h"

namespace algctl_torch {

// Runs a program. `operands` are its inputs and weights in the order of the signature, without positions and
// sequences, which are given as for a projection: the first operand of M rows says how many there are.
// Results are in the order of the signature, each in its first type.
std::vector<Tensor> runProgram(std::vector<Tensor> operands, std::optional<Tensor> positions, int64_t p0,
                               std::string bundle, std::string program);

// The same for rows that are divided among experts: `expert_starts` has E + 1 numbers, int32, the first row
// of each and where those of the last one end, and weights have a further leading extent of E. Rows of no
// expert hold anything. `expert_rows`, R numbers, int32, is a list of rows that these divide, and results
// have a row for each of its entries.
std::vector<Tensor> runExperts(std::vector<Tensor> operands, Tensor expert_starts,
                               std::optional<Tensor> positions, int64_t p0, std::string bundle,
                               std::string program, std::optional<Tensor> expert_rows);

} // namespace algctl_torch
