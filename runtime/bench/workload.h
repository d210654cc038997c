// What is measured of a layer in one go.
#pragma once

#include "runtime/bundle/map.h"

#include <string>
#include <string_view>
#include <vector>

namespace algrt {

struct Workload {
  std::string name;
  std::vector<Map> maps; // computed one after the other, each on operands of its own
  // Each call begins one row type later than the one before, as a decoder's do; otherwise all begin at
  // position 0.
  bool rotates = false;
};

// forward, decode (forward, rotating), dx, dw, and training, which is forward, dx and dw together.
const std::vector<Workload> &workloads();

// By its name, which is also what the column "map" of a table says; null where there is none.
const Workload *findWorkload(std::string_view name);

// Throws Error(ALGRT_INVALID_ARGUMENT) that names those that there are.
const Workload &requireWorkload(std::string_view name);

} // namespace algrt
