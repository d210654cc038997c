#include "compiler/tools/bench_jobs.h"

#include "runtime/bundle/bundle.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <tuple>

namespace compiler {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "algctl-bench-XXXXXX").string();
  if (error || !mkdtemp(name.data()))
    throw Failure(
        "cannot make a temporary folder for compiled bundles; set TMPDIR to a place that can be written");
  folder = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored; // what cannot be removed is left to the system, as any temporary file is
  std::filesystem::remove_all(folder, ignored);
}

// By content, not by name: a spec may be called anything, and so may a bundle.
static bool isBundle(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char magic[7] = {};
  file.read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "ALGCTLB" ||
         std::filesystem::path(path).extension() == ".alg";
}

void BenchJobs::add(const std::vector<std::string> &products, const std::vector<std::int64_t> &m,
                    const SpecOptions &layer, const BundleCompiler &compile,
                    const std::filesystem::path &scratch) {
  for (const std::string &product : products) {
    if (isBundle(product)) {
      // Before the machine is measured, which takes seconds: is it one?
      algrt::Bundle::open(product);
      for (std::int64_t rows : m)
        jobs.push_back({product, "", rows});
      continue;
    }
    if (!compile)
      throw AbsentError(
          fmt::format("{} is not a bundle, and this build has no compiler to make one", product));
    SpecOptions options = layer;
    options.spec = product;
    const Spec spec = loadSpec(options);
    for (std::int64_t rows : m) {
      const std::string bundle = scratch / fmt::format("{}.alg", jobs.size());
      compile(spec, {target, rows, use_cache}, bundle);
      jobs.push_back({bundle, product, rows});
    }
  }
}

void BenchJobs::addTable(const std::string &table, const std::string &bundles, const std::string &dtype) {
  const std::optional<std::string> wanted = dtype.empty() ? std::nullopt : std::optional(dtype);
  for (const algrt::TableMatch &match : algrt::matchTable(algrt::readTable(table), bundles, wanted)) {
    if (match.skipped.empty())
      jobs.push_back({match.bundle_path, match.row.name, match.row.m, match.row.published});
    else
      skipped.push_back(match);
  }
}

void BenchJobs::addTable(const std::string &table, const std::string &dtype, const BundleCompiler &compile,
                         const std::filesystem::path &scratch) {
  if (!compile)
    throw AbsentError(
        "this build has no compiler to make bundles for a table; name a folder of them with --bundles");
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::string>, std::string>
      compiled;
  for (const algrt::TableRow &row : algrt::readTable(table)) {
    if (row.map != "forward" && row.map != "decode") {
      skipped.push_back({row, "", fmt::format("the map {} has no kernels yet", row.map)});
      continue;
    }
    const std::string type = !row.dtype.empty() ? row.dtype : dtype.empty() ? "bf16" : dtype;
    std::string &bundle = compiled[{row.m, row.k, row.n, row.q, type}];
    if (bundle.empty()) {
      SpecOptions options;
      options.spec = fmt::format("Q({})", row.q);
      options.in = row.k;
      options.out = row.n;
      options.dtype = type;
      bundle = scratch / fmt::format("{}.alg", compiled.size());
      compile(loadSpec(options), {target, row.m, use_cache}, bundle);
    }
    jobs.push_back({bundle, row.name, row.m, row.published});
  }
}

} // namespace compiler
