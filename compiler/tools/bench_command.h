// What algctl bench was asked for, and its halves: layers in bench.cpp, programs in bench_networks.cpp.
#pragma once

#include "compiler/spec/spec_options.h"
#include "compiler/tools/commands.h"
#include "runtime/bench/table.h"
#include "runtime/reference/activation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct BenchCommand {
  std::vector<std::string> products;
  SpecOptions layer;
  std::vector<int64_t> m = {2048};
  std::vector<std::string> maps = {"forward"};
  std::string table, folder, against = "dense";
  std::string target;
  int device = 0;
  int trials = 0, threads = 0; // 0: as many trials as the measurement has by itself, all threads
  int64_t flush_mib = 0;
  std::optional<std::string> program_maps;
  std::optional<int64_t> experts;
  bool json = false, no_cache = false;
};

// Measures cases on the GPU of the command, prints the report and returns the exit code. Networks have that
// activation. Throws Failure where the device fails.
int measureOnGpu(const BenchCommand &options, const std::vector<algrt::TableMatch> &cases,
                 const std::string &command, algrt::Activation activation);

// Whether a spec or bundle is one of programs.
bool isOfPrograms(const BenchCommand &options, const std::string &product);
// The rows of a table that has networks alone; empty where it has others, too.
std::vector<algrt::TableRow> networksOf(const std::string &table);
// Programs on this machine's CPU, each beside the same in steps and operations apart where there is a spec to
// compile them from, and networks beside dense products.
int benchOnPrograms(const BenchCommand &options, const std::vector<algrt::TableRow> &table,
                    const BundleCompiler &compile, const ProgramTools &tools);
// Feed-forward networks on the GPU of the command, each beside its layers in steps, its operations apart and
// dense products, or of experts beside a call for each.
int benchNetworksOnGpu(const BenchCommand &options, const std::vector<algrt::TableRow> &table,
                       const BundleCompiler &compile, const ProgramTools &tools, const std::string &command);

} // namespace compiler
