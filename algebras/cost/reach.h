// Which parameters of the bank a layer can use at all, and which a given batch reaches.
#pragma once

#include "algebras/groups.h"
#include "algebras/lift.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algebras::cost {

struct Reach {
  std::int64_t blocks = 0;         // of the whole bank
  std::int64_t live_blocks = 0;    // used by some type
  std::int64_t reached_blocks = 0; // used by a type that has rows in the batch
  std::int64_t parameters = 0;     // K * N, or m (K/m) (N/m) in the slots lift
  std::int64_t live_parameters = 0;
  std::int64_t reached_parameters = 0;
};

Reach reach(const Lift &lift, const Groups &in, const Groups &out,
            std::span<const std::int64_t> rows_of_type);

struct BankBlock {
  std::int64_t bank_row = 0, output_group = 0; // output_group is 0 in the slots lift
  bool operator==(const BankBlock &) const = default;
};

// Live blocks that no row of the batch uses, in row-major order, at most `limit` of them.
std::vector<BankBlock> unreachedBlocks(const Lift &lift, std::span<const std::int64_t> rows_of_type,
                                       std::int64_t limit = 1 << 20);

} // namespace algebras::cost
