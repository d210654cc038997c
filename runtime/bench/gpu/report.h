// GPU measurements as JSON, and as a table made of that JSON, so that reports written elsewhere print the
// same way.
#pragma once

#include "runtime/bench/gpu/gpu_bench.h"
#include "runtime/bench/gpu/network_bench.h"
#include "runtime/bench/table.h"

#include <nlohmann/json_fwd.hpp>

namespace algrt {

struct GpuReport {
  struct Entry {
    GpuBenchCase result;
    TableRow row; // published figures, where it comes from a table
  };
  struct NetworkEntry {
    GpuNetworkCase result;
    TableRow row;
  };
  std::string command; // as shellCommand writes it
  GpuMachine machine;
  std::vector<Entry> cases;
  std::vector<NetworkEntry> networks;
  std::vector<TableMatch> skipped;
  std::string aborted; // why the rest was not measured; empty where all was

  bool anyWrong() const;
};

// {"command", "machine", "cases": [...], "networks": [...], "skipped": [...], "aborted"}
nlohmann::ordered_json toJson(const GpuReport &report);
// Of the list "networks".
nlohmann::ordered_json toJson(const GpuReport::NetworkEntry &entry);

// The machines, one table of all cases and one of all networks, what was left out and what went wrong. Throws
// Error(ALGRT_INVALID_ARGUMENT) where an element is no such report.
std::string gpuText(const std::vector<nlohmann::ordered_json> &reports);

} // namespace algrt
