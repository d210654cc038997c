// Times that vary so much that what is compared with them says little.
#pragma once

#include "runtime/bench/bench.h"

#include <optional>
#include <string>
#include <vector>

namespace algrt {

// One of the things that ratios of a case are made of.
struct MeasuredSide {
  std::string key;  // of its times in the JSON
  std::string name; // "dense product"
  std::optional<WarmAndFlushed> times;
};

// The times, as "dense_us.warm", whose quartiles are further apart than half of their median: on a shared
// machine the threads of a library may wait for a core of which another program is making use.
std::vector<std::string> scatteredTimes(const std::vector<MeasuredSide> &sides);

// A line of warning for each of them; `title` says which case it is.
std::string scatterWarnings(const std::string &title, const std::vector<MeasuredSide> &sides);

} // namespace algrt
