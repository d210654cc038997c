#include "compiler/tools/run_arrays.h"

#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"
#include "compiler/tools/session.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"

#include <cmath>
#include <fmt/format.h>
#include <random>
#include <unistd.h>

namespace compiler {
namespace {

using Shape = std::vector<std::int64_t>;

[[noreturn]] void wrongShape(const std::string &file, const Shape &shape, const std::string &needed) {
  throw Failure(
      fmt::format("{} has shape {}, but the bundle needs {}", file, algrt::shapeText(shape), needed));
}

// x, w, y and their rounded copies at once; a swapping machine is worse than a sentence.
void refuseMoreThanMemory(const algrt::Layer &layer, std::int64_t m) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  std::int64_t activations = checkedMultiply(m, checkedAdd(layer.k, layer.n, "K + N"), "M (K + N)");
  std::int64_t bank = checkedMultiply(layer.k, layer.bankColumns(), "the size of the bank");
  std::int64_t bytes = checkedMultiply(checkedAdd(activations, bank, "the number of elements"),
                                       std::int64_t{4}, "the arrays in bytes");
  std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (bytes > memory)
    throw Failure(
        fmt::format("the arrays of M = {} rows take {:.1f} GiB, and this machine has {:.1f} GiB of memory: "
                    "use fewer rows",
                    m, std::ldexp(double(bytes), -30), std::ldexp(double(memory), -30)));
}

std::int64_t numberOfRows(const ArraySources &sources,
                          const std::vector<std::pair<std::string, std::int64_t>> &files) {
  std::int64_t m = sources.m;
  std::string from = "--m";
  for (const auto &[file, rows] : files) {
    if (m != 0 && m != rows)
      throw Failure(fmt::format("{} has {} rows, but {} says {}", file, rows, from, m));
    m = rows;
    from = file;
    if (m == 0)
      throw Failure(fmt::format("{} has no rows: a batch needs at least one", file));
  }
  if (m == 0)
    throw UsageError("how many rows? Give --m, or a file with --x");
  return m;
}

std::vector<std::int32_t> randomTypes(std::int64_t m, std::int64_t types, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<std::int32_t> result(static_cast<std::size_t>(m));
  for (std::int32_t &type : result)
    type = static_cast<std::int32_t>(generator() % static_cast<std::uint64_t>(types));
  return result;
}

algrt::NpyArray<float> readBank(const algrt::Layer &layer, const std::string &file) {
  auto w = readFloat32Array(file);
  std::int64_t columns = layer.bankColumns();
  if (w.shape == Shape{layer.k, columns})
    return w;
  if (layer.lift == algrt::Lift::rows)
    wrongShape(file, w.shape, algrt::shapeText(Shape{layer.k, columns}));
  std::int64_t slots = static_cast<std::int64_t>(layer.bank_rows.size());
  Shape blocks{slots, layer.k / slots, columns};
  if (w.shape != blocks)
    wrongShape(file, w.shape,
               fmt::format("{} or {}", algrt::shapeText(blocks), algrt::shapeText(Shape{layer.k, columns})));
  return w;
}

} // namespace

RunArrays makeArrays(const algrt::Layer &layer, const ArraySources &sources, algrt::Map map) {
  const bool forward = map == algrt::Map::forward;
  if (!(forward ? sources.dy : sources.x).empty())
    throw Failure(
        fmt::format("map {} takes {}", algrt::name(map), forward ? "--x, not --dy" : "--dy, not --x"));
  const std::string &activations = forward ? sources.x : sources.dy;
  const std::int64_t width = forward ? layer.k : layer.n;
  bool explicit_types = layer.row_types == algrt::RowTypesKind::explicit_types;
  if (!sources.types.empty() && !explicit_types)
    throw Failure(fmt::format("the types of this bundle follow from the position ({}): leave --types out",
                              algrt::name(layer.row_types)));

  RunArrays arrays;
  std::vector<std::pair<std::string, std::int64_t>> files;
  if (!activations.empty()) {
    auto x = readFloat32Array(activations);
    if (x.shape.size() != 2 || x.shape[1] != width)
      wrongShape(activations, x.shape,
                 fmt::format("(M, {}): M rows of {} features", width, forward ? 'K' : 'N'));
    files.emplace_back(activations, x.shape[0]);
    arrays.x = std::move(x.values);
  }
  if (!sources.types.empty()) {
    auto types = readInt32Array(sources.types);
    if (types.shape.size() != 1)
      wrongShape(sources.types, types.shape, "(M,): one type per row");
    files.emplace_back(sources.types, types.shape[0]);
    arrays.types = std::move(types.values);
  }
  arrays.m = numberOfRows(sources, files);
  refuseMoreThanMemory(layer, arrays.m);

  // Three streams of one seed: giving one of the files does not change the others.
  if (activations.empty())
    arrays.x = algrt::randomValues(arrays.m * width, 1.0, 3 * sources.seed);
  if (sources.w.empty())
    arrays.w = algrt::randomValues(layer.k * layer.bankColumns(), 1.0 / std::sqrt(double(layer.k)),
                                   3 * sources.seed + 1);
  else
    arrays.w = readBank(layer, sources.w).values;
  if (explicit_types && sources.types.empty())
    arrays.types = randomTypes(arrays.m, layer.types, 3 * sources.seed + 2);
  if (layer.dtype == algrt::ElementType::bf16) {
    algrt::roundToBfloat16(arrays.x);
    algrt::roundToBfloat16(arrays.w);
  }
  return arrays;
}

} // namespace compiler
