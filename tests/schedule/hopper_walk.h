// A walk over every tile, step and piece of a row that a kernel copies whose blocks the copy engine moves:
// what its cost is compared with.
#pragma once

#include "compiler/schedule/staged.h"

namespace schedule_test {

struct Walk {
  double sent = 0;                                 // from the cache
  double received = 0, cycles = 0;                 // of all processors
  double busiest_received = 0, busiest_cycles = 0; // of the one that has most of it
  double useful_macs = 0;
  double port_bytes = 0;              // in and out of shared memory: blocks, operands of products, sums
  double multiplying = 0, stores = 0; // cycles of one and of the other
  double filled = 0, steps = 0;       // bytes of slots that are asked for
  int64_t tiles = 0, turns = 0;
};

// Of `m` rows.
Walk walk(const algebras::Layer &layer, const compiler::StagedSchedule &schedule, algebras::DataType output,
          int64_t m);

} // namespace schedule_test
