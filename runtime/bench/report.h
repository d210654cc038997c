// What a measurement hands out, whichever program ran it: the command that repeats it, the machine, the
// results and what was left out.
#pragma once

#include "runtime/bench/bench.h"
#include "runtime/bench/table.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace algrt {

struct BenchReport {
  std::string command; // as shellCommand writes it
  Machine machine;
  std::vector<BenchCase> cases;
  std::vector<TableMatch> skipped;
};

// {"format", "command", "machine", "cases": [...], "skipped": [...]}
nlohmann::ordered_json toJson(const BenchReport &report);
// The machine, the table of results, a line per case and per row left out, and the command.
std::string text(const BenchReport &report);

// The arguments as one line that a shell reads back as the same words. `program` stands for argv[0], which
// may be any path to it.
std::string shellCommand(const std::string &program, int argc, const char *const *argv);

} // namespace algrt
