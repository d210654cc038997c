// Output groups by how many terms they have: what tiles of unequal length are scheduled by.
#pragma once

#include "algebras/lift.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// The groups of each type in the order most terms first, among equals by their number, have *ranks* 0, 1,
/// ... For every rank the terms of its groups, on average over all types; of large algebras over some hundred
/// of them, evenly spread.
std::vector<double> termsByRank(const algebras::Lift &lift);

/// The same of the gradient of the weight matrix: of the blocks in one row of blocks, ranked by the types
/// whose rows they sum up, how many types those are. Of Q(q) all for the diagonal block and one for any
/// other. Of large algebras some columns of blocks stand for the rows. Blocks of the slot lift sum up all
/// rows once for each term, which counts as a type.
std::vector<double> typesByRank(const algebras::Lift &lift);

/// How many ranks of such a list stand out.
int64_t longRanks(const std::vector<double> &by_rank);

/// Why tiles of so many blocks of each row of the weight matrix cannot come before the others; empty where
/// they can.
std::string whyNoWeightOrder(const algebras::Lift &lift, int64_t longest_first);

/// How many ranks stand out, from rank 0 on: have at least half as many terms again as all have on average.
/// Of a gradient of X of Q(q) with q >= 3 one, a type's own group; of equal groups none.
int64_t longestFirst(const algebras::Lift &lift);

/// Why tiles of so many ranks cannot come before the others; empty where they can.
std::string whyNoOrder(const algebras::Lift &lift, int64_t longest_first);

} // namespace compiler
