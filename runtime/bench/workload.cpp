#include "runtime/bench/workload.h"

#include "runtime/support/error.h"

#include <algorithm>

namespace algrt {

const std::vector<Workload> &workloads() {
  static const std::vector<Workload> all = {
      {"forward", {Map::Forward}}, {"decode", {Map::Forward}, /*rotates=*/true},   {"dx", {Map::Dx}},
      {"dw", {Map::Dw}},           {"training", {Map::Forward, Map::Dx, Map::Dw}},
  };
  return all;
}

const Workload *findWorkload(std::string_view name) {
  const auto found = std::ranges::find(workloads(), name, &Workload::name);
  return found == workloads().end() ? nullptr : &*found;
}

const Workload &requireWorkload(std::string_view name) {
  if (const Workload *found = findWorkload(name))
    return *found;
  std::string names;
  for (const Workload &workload : workloads())
    names += (names.empty() ? "" : ", ") + workload.name;
  throw Error(ALGRT_INVALID_ARGUMENT,
              "the map '" + std::string(name) + "' is none that is measured; there are " + names);
}

} // namespace algrt
