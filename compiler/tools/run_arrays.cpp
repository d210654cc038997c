#include "compiler/tools/run_arrays.h"

#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_file.h"
#include "compiler/tools/session.h"
#include "runtime/reference/random.h"
#include "runtime/support/checked.h"
#include "runtime/support/memory.h"
#include "runtime/support/transposed.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

namespace compiler {
namespace {

using Shape = std::vector<int64_t>;

[[noreturn]] void wrongShape(const std::string &file, const Shape &shape, const std::string &needed) {
  throw Failure(
      fmt::format("{} has shape {}, but the layer needs {}", file, algrt::shapeText(shape), needed));
}

// What is said of a weight matrix that came the other way round, as frameworks keep the weights of a dense
// layer.
std::string transposedWeights(const Shape &shape, const Shape &needed) {
  return algrt::isTransposed(shape, needed)
             ? ": transposed? Weights are (in, out), those of torch.nn.Linear (out, in)"
             : "";
}

// What has to be made up, and what the caller needs: a machine that swaps is worse than a sentence.
void refuseMoreThanMemory(const algrt::Layer &layer, const ArraySources &sources, algrt::Map map, int64_t m) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  int64_t bytes = 0;
  auto count = [&](int64_t rows, int64_t columns) {
    const int64_t elements = checkedMultiply(rows, columns, "the size of a matrix");
    bytes = checkedAdd(bytes, checkedMultiply(elements, int64_t{4}, "the bytes of a matrix"),
                       "the bytes of all matrices");
  };
  if (map != algrt::Map::Dx && sources.x.empty())
    count(m, layer.k);
  if (map != algrt::Map::Forward && sources.dy.empty())
    count(m, layer.n);
  if ((map == algrt::Map::Dw ? sources.dw : sources.w).empty())
    count(layer.k, layer.weightColumns());
  if (layer.row_types == algrt::RowTypesKind::ExplicitTypes && sources.types.empty())
    count(m, 1);
  if (sources.further)
    bytes = checkedAdd(bytes, sources.further(m), "the bytes of all matrices");
  algrt::requireMemory(static_cast<uint64_t>(bytes), fmt::format("a batch of M = {} rows", m));
}

int64_t numberOfRows(const ArraySources &sources, const std::vector<std::pair<std::string, int64_t>> &files) {
  std::optional<int64_t> m;
  if (sources.m != 0)
    m = sources.m;
  std::string from = "--m";
  for (const auto &[file, rows] : files) {
    if (m && *m != rows)
      throw Failure(fmt::format("{} has {} rows, but {} says {}", file, rows, from, *m));
    m = rows;
    from = file;
  }
  if (!m)
    throw UsageError("how many rows? Give --m, or a file with --x");
  return *m;
}

std::vector<int32_t> randomTypes(int64_t m, int64_t types, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<int32_t> result(static_cast<size_t>(m));
  for (int32_t &type : result)
    type = static_cast<int32_t>(generator() % static_cast<uint64_t>(types));
  return result;
}

algrt::NpyArray<float> readWeights(const algrt::Layer &layer, const std::string &file) {
  auto w = readFloat32Array(file);
  int64_t columns = layer.weightColumns();
  const Shape flat{layer.k, columns};
  if (w.shape == flat)
    return w;
  if (layer.lift == algrt::Lift::Rows)
    wrongShape(file, w.shape, algrt::shapeText(flat) + transposedWeights(w.shape, flat));
  int64_t slots = static_cast<int64_t>(layer.weight_rows.size());
  Shape blocks{slots, layer.k / slots, columns};
  if (w.shape != blocks)
    wrongShape(file, w.shape,
               fmt::format("{} or {}{}", algrt::shapeText(blocks), algrt::shapeText(flat),
                           transposedWeights(w.shape, w.shape.size() == 2 ? flat : blocks)));
  return w;
}

// The operands that a map does not have must not be given: the result would not depend on them.
void refuseOthers(const ArraySources &sources, algrt::Map map, bool bias) {
  const bool forward = map == algrt::Map::Forward, dx = map == algrt::Map::Dx;
  auto refuse = [&](bool taken, const std::string &file, const char *option) {
    if (!taken && !file.empty())
      throw Failure(fmt::format("map {} takes {}, not {}", algrt::name(map),
                                forward ? bias ? "--x, --w and --bias-file" : "--x and --w"
                                : dx    ? "--dy and --w"
                                        : "--x, --dy and --dw",
                                option));
  };
  refuse(!dx, sources.x, "--x");
  refuse(!forward, sources.dy, "--dy");
  refuse(forward || dx, sources.w, "--w");
  refuse(!forward && !dx, sources.dw, "--dw");
  if (forward && !bias && !sources.bias.empty())
    throw Failure("the layer has no bias: leave --bias-file out, or give it one with --bias");
  refuse(forward, sources.bias, "--bias-file");
}

} // namespace

RunArrays makeArrays(const algrt::Layer &layer, const ArraySources &sources, algrt::Map map) {
  const bool has_bias = layer.bias && map == algrt::Map::Forward;
  refuseOthers(sources, map, has_bias);
  bool explicit_types = layer.row_types == algrt::RowTypesKind::ExplicitTypes;
  if (!sources.types.empty() && !explicit_types)
    throw Failure(fmt::format("the row types of the layer follow from the position ({}): leave --types out",
                              algrt::name(layer.row_types)));

  RunArrays arrays;
  std::vector<std::pair<std::string, int64_t>> files;
  auto read_activations = [&](const std::string &file, int64_t width, char letter) {
    auto array = readFloat32Array(file);
    if (array.shape.size() != 2 || array.shape[1] != width)
      wrongShape(file, array.shape,
                 fmt::format("(M, {}): M rows of {} features{}", width, letter,
                             algrt::isTransposed(array.shape, Shape{-1, width}) ? "; transposed?" : ""));
    files.emplace_back(file, array.shape[0]);
    return std::move(array.values);
  };
  if (!sources.x.empty())
    arrays.x = read_activations(sources.x, layer.k, 'K');
  if (!sources.dy.empty())
    arrays.dy = read_activations(sources.dy, layer.n, 'N');
  if (!sources.types.empty()) {
    auto types = readInt32Array(sources.types);
    if (types.shape.size() != 1)
      wrongShape(sources.types, types.shape, "(M,): one type per row");
    files.emplace_back(sources.types, types.shape[0]);
    arrays.types = std::move(types.values);
  }
  arrays.positions = readPositions(layer, sources.positions, sources.offset);
  if (const auto &positions = arrays.positions.positions)
    files.emplace_back(sources.positions.positions, positions->size());
  if (const auto &starts = arrays.positions.sequence_starts) {
    if (starts->empty() || starts->back() < 0)
      throw Failure(fmt::format("{} {}, needs the number of rows as its last element",
                                sources.positions.sequence_starts,
                                starts->empty() ? "is empty" : fmt::format("ends with {}", starts->back())));
    files.emplace_back(sources.positions.sequence_starts, starts->back());
  }
  if (!sources.bias.empty()) {
    auto bias = readFloat32Array(sources.bias);
    if (bias.shape != Shape{layer.n})
      wrongShape(sources.bias, bias.shape,
                 algrt::shapeText(Shape{layer.n}) + ": one number per output feature");
    arrays.bias = std::move(bias.values);
  }
  arrays.m = numberOfRows(sources, files);
  refuseMoreThanMemory(layer, sources, map, arrays.m);

  // Streams of one seed: giving one of the files does not change the others.
  const bool has_x = map != algrt::Map::Dx, has_dy = map != algrt::Map::Forward;
  if (has_x && sources.x.empty())
    arrays.x = algrt::randomValues(arrays.m * layer.k, 1.0, 4 * sources.seed);
  if (has_dy && sources.dy.empty())
    arrays.dy = algrt::randomValues(arrays.m * layer.n, 1.0, 4 * sources.seed + 3);
  const std::string &weights = map == algrt::Map::Dw ? sources.dw : sources.w;
  if (!weights.empty())
    arrays.w = readWeights(layer, weights).values;
  else if (map == algrt::Map::Dw)
    arrays.w.resize(static_cast<size_t>(layer.k * layer.weightColumns()));
  else
    arrays.w = algrt::randomValues(layer.k * layer.weightColumns(), 1.0 / std::sqrt(double(layer.k)),
                                   4 * sources.seed + 1);
  if (has_bias && sources.bias.empty())
    arrays.bias = algrt::randomValues(layer.n, 1.0, ~(4 * sources.seed));
  if (explicit_types && sources.types.empty())
    arrays.types = randomTypes(arrays.m, layer.types, 4 * sources.seed + 2);
  if (layer.dtype == algrt::ElementType::Bf16) {
    algrt::roundToBfloat16(arrays.x);
    algrt::roundToBfloat16(arrays.dy);
    algrt::roundToBfloat16(arrays.bias);
    if (map != algrt::Map::Dw) // dw has a type of its own
      algrt::roundToBfloat16(arrays.w);
  }
  return arrays;
}

} // namespace compiler
