// Things that are measured against each other in one run, with warm caches and with emptied ones.
#pragma once

#include "runtime/bench/bench.h"
#include "runtime/bench/machine.h"

#include <functional>
#include <vector>

namespace algrt {

struct Contender {
  std::function<void()> run;
  int64_t calls = 1; // that a warm measurement is the mean of
};

// The times of each contender. Trials take turns, in alternating order: whoever comes first has another
// neighbour in the next trial. There are fewer than `trials` where they would take minutes. `progress` may be
// empty.
std::vector<WarmAndFlushed> race(const std::vector<Contender> &contenders, int trials, CacheFlush &flush,
                                 const std::function<void(double fraction)> &progress);

} // namespace algrt
