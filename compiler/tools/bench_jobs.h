// What algctl bench is asked to measure: bundles, specs that are compiled for the purpose, and the rows of a
// table.
#pragma once

#include "algebras/error.h"
#include "compiler/process/failure.h"
#include "compiler/spec/spec_options.h"
#include "compiler/tools/commands.h"
#include "runtime/bench/table.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace compiler {

// A folder of its own under the system's temporary one; gone with the object.
class TemporaryFolder {
public:
  // Throws Failure.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::filesystem::path &path() const { return folder_; }

private:
  std::filesystem::path folder_;
};

// By content, not by name: a spec may be called anything, and so may a bundle.
bool isBundle(const std::string &path);

// What is wrong with the row of a table, at its place there: a column is called as options are,
// "--row-types".
Failure failureInRow(const std::string &table, const algrt::TableRow &row, std::string what);

// Calls `function`, whose failures are about the row.
template <class Function>
auto atRowOf(const std::string &table, const algrt::TableRow &row, Function function) {
  try {
    return function();
  } catch (const algebras::InputError &error) {
    throw failureInRow(table, row, error.what());
  } catch (const Failure &error) {
    throw failureInRow(table, row, error.what());
  }
}

// A column of the row, k or n. Throws Failure unless the groups of Q(q) divide it.
int64_t dividedColumn(const algrt::TableRow &row, int64_t width, const char *column);

struct BenchJob {
  std::string bundle;
  std::string name; // empty: the bundle's own
  int64_t m = 0;
  std::string map = "forward"; // of runtime/bench/workload.h
  algrt::PublishedFigures published = {};
  std::optional<double> predicted_us = {};   // that the table says
  std::optional<algebras::Layer> layer = {}; // where it was compiled for the purpose
};

struct BenchJobs {
  std::string target = "cpu"; // that specs are compiled for
  bool use_cache = true;      // of compiled kernels
  std::vector<BenchJob> jobs;
  std::vector<algrt::TableMatch> skipped;

  // `products` are bundles or specs, each measured for every number of rows and every map. `layer` lies over
  // the specs.
  void add(const std::vector<std::string> &products, const std::vector<int64_t> &m,
           const std::vector<std::string> &maps, const SpecOptions &layer, const BundleCompiler &compile,
           const std::filesystem::path &scratch);
  // Rows of a table against the bundles of a folder.
  void addTable(const std::string &table, const std::string &bundles, const std::string &dtype);
  // Networks of bundles become skipped, for a CPU.
  void leaveNetworksOut();
  // Rows of a table, each compiled as Q(q) from k to n. `dtype` where a row does not say it; bf16 if that is
  // empty.
  void addTable(const std::string &table, const std::string &dtype, const BundleCompiler &compile,
                const std::filesystem::path &scratch);
};

} // namespace compiler
