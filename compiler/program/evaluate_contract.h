// A contraction by its definition, in double precision.
#pragma once

#include "compiler/program/evaluate.h"
#include "dialects/alg/alg.h"

#include <functional>

namespace compiler {

/// The contraction of two arrays. `type_of_row` gives the type of each row of activations
/// in the row lift.
DenseArray contractArrays(alg::ContractOp contract, const DenseArray &lhs, const DenseArray &rhs,
                          const std::function<int64_t(int64_t)> &type_of_row);

} // namespace compiler
