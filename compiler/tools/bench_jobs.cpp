#include "compiler/tools/bench_jobs.h"

#include "compiler/process/temporary_folder.h"
#include "runtime/bench/workload.h"
#include "runtime/bundle/bundle.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <tuple>

namespace compiler {

TemporaryFolder::TemporaryFolder() {
  folder_ = newTemporaryName("bench");
  std::filesystem::create_directory(folder_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored; // what cannot be removed is left to the system, as any temporary file is
  std::filesystem::remove_all(folder_, ignored);
}

bool isBundle(const std::string &path) {
  char magic[7] = {};
  std::error_code absent;
  // Opening a pipe would wait for somebody to write to it.
  if (std::filesystem::is_regular_file(path, absent))
    std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "ALGCTLB" ||
         std::filesystem::path(path).extension() == ".alg";
}

void BenchJobs::add(const std::vector<std::string> &products, const std::vector<int64_t> &m,
                    const std::vector<std::string> &maps, const SpecOptions &layer,
                    const BundleCompiler &compile, const std::filesystem::path &scratch) {
  std::vector<algrt::Map> compiled;
  for (const std::string &map : maps)
    for (const algrt::Map one : algrt::requireWorkload(map).maps)
      if (std::find(compiled.begin(), compiled.end(), one) == compiled.end())
        compiled.push_back(one);
  for (const std::string &product : products) {
    if (isBundle(product)) {
      // Before the machine is measured, which takes seconds: is it one?
      algrt::Bundle::open(product);
      for (int64_t rows : m)
        for (const std::string &map : maps)
          jobs.push_back({product, "", rows, map});
      continue;
    }
    if (!compile)
      throw AbsentError(
          fmt::format("{} is not a bundle, and this build has no compiler to make one", product));
    SpecOptions options = layer;
    options.spec = product;
    const Spec spec = loadSpec(options);
    for (int64_t rows : m) {
      const std::string bundle = scratch / fmt::format("{}.alg", jobs.size());
      compile(spec, {target, rows, compiled, use_cache}, bundle);
      for (const std::string &map : maps)
        jobs.push_back({bundle, product, rows, map, {}, {}, spec.layer});
    }
  }
}

void BenchJobs::addTable(const std::string &table, const std::string &bundles, const std::string &dtype) {
  const std::optional<std::string> wanted = dtype.empty() ? std::nullopt : std::optional(dtype);
  for (const algrt::TableMatch &match : algrt::matchTable(algrt::readTable(table), bundles, wanted)) {
    if (match.skipped.empty())
      jobs.push_back({match.bundle_path,
                      match.row.name,
                      match.row.m,
                      match.row.map,
                      match.row.published,
                      match.row.predicted_us,
                      {}});
    else
      skipped.push_back(match);
  }
}

Failure failureInRow(const std::string &table, const algrt::TableRow &row, std::string what) {
  if (what.starts_with("--")) {
    what.erase(0, 2);
    std::replace(what.begin(), what.begin() + static_cast<ptrdiff_t>(std::min(what.find(':'), what.size())),
                 '-', '_');
  }
  return Failure(fmt::format("{}:{}: {}", table, row.line, what));
}

int64_t dividedColumn(const algrt::TableRow &row, int64_t width, const char *column) {
  if (row.q < 1 || width % row.q != 0)
    throw Failure(fmt::format("{} is {}, which {} groups do not divide", column, width, row.q));
  return width;
}

void BenchJobs::leaveNetworksOut() {
  std::erase_if(jobs, [&](const BenchJob &job) {
    if (job.map != algrt::network_map)
      return false;
    algrt::TableRow row;
    row.name = job.name;
    row.map = job.map;
    row.m = job.m;
    skipped.push_back({row, "", algrt::why_no_network_on_cpu});
    return true;
  });
}

void BenchJobs::addTable(const std::string &table, const std::string &dtype, const BundleCompiler &compile,
                         const std::filesystem::path &scratch) {
  if (!compile)
    throw AbsentError(
        "this build has no compiler to make bundles for a table; name a folder of them with --bundles");
  struct Compiled {
    std::string bundle;
    std::optional<algebras::Layer> layer;
  };
  using Key =
      std::tuple<int64_t, int64_t, int64_t, int64_t, std::string, std::string, std::vector<algrt::Map>>;
  std::map<Key, Compiled> compiled;
  for (const algrt::TableRow &row : algrt::readTable(table)) {
    const algrt::Workload *workload = algrt::findWorkload(row.map);
    if (!workload) {
      skipped.push_back(
          {row, "",
           row.map == algrt::network_map
               ? std::string("networks are measured by themselves: give them a table of their own")
               : fmt::format("the map {} has no kernels yet", row.map)});
      continue;
    }
    const std::string type = !row.dtype.empty() ? row.dtype : dtype.empty() ? "bf16" : dtype;
    Compiled &made = compiled[{row.m, row.k, row.n, row.q, type, row.row_types, workload->maps}];
    if (made.bundle.empty()) {
      made.bundle = scratch / fmt::format("{}.alg", compiled.size());
      atRowOf(table, row, [&] {
        SpecOptions options;
        options.spec = fmt::format("Q({})", row.q);
        options.in = dividedColumn(row, row.k, "k");
        options.out = dividedColumn(row, row.n, "n");
        options.dtype = type;
        options.row_types = row.row_types;
        const Spec spec = loadSpec(options);
        made.layer = spec.layer;
        compile(spec, {target, row.m, workload->maps, use_cache}, made.bundle);
      });
    }
    jobs.push_back({made.bundle, row.name, row.m, row.map, row.published, row.predicted_us, made.layer});
  }
}

} // namespace compiler
