// Which parameters of the weight matrix a layer can use at all, and which a given batch reaches.
#pragma once

#include "algebras/groups.h"
#include "algebras/lift.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algebras::cost {

struct Reach {
  int64_t blocks = 0;         // of the whole weight matrix
  int64_t live_blocks = 0;    // used by some type
  int64_t reached_blocks = 0; // used by a type that has rows in the batch
  int64_t parameters = 0;     // K * N, or m (K/m) (N/m) in the slots lift
  int64_t live_parameters = 0;
  int64_t reached_parameters = 0;
};

Reach reach(const Lift &lift, const Groups &in, const Groups &out, std::span<const int64_t> rows_of_type);

struct WeightBlock {
  int64_t weight_row = 0, output_group = 0; // output_group is 0 in the slots lift
  bool operator==(const WeightBlock &) const = default;
};

// Live blocks that no row of the batch uses, in row-major order, at most `limit` of them.
std::vector<WeightBlock> unreachedBlocks(const Lift &lift, std::span<const int64_t> rows_of_type,
                                         int64_t limit = 1 << 20);

} // namespace algebras::cost
