#include "tests/simulator/kernels/exact_case.h"

#include "compiler/bundle/layer_description.h"
#include "compiler/gpu_pipeline.h"
#include "compiler/simulator/agreement.h"
#include "compiler/spec/spec_options.h"
#include "tests/compiler/dense_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <random>
#include <set>
#include <tuple>

namespace simulator_test {
namespace {

std::vector<float> wholeNumbers(std::int64_t count, std::mt19937_64 &random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float &value : values)
    value = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return values;
}

/// Of as many types as there are, of about half of them, or of one.
std::vector<std::int32_t> drawnTypes(std::int64_t m, std::int64_t types, std::mt19937_64 &random) {
  const auto first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(types));
  const std::int64_t present = std::array{types, (types + 1) / 2, std::int64_t{1}}[random() % 3];
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(m));
  for (std::int32_t &type : drawn)
    type = static_cast<std::int32_t>(
        (first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(present))) % types);
  return drawn;
}

/// Where each group begins, and where the last one ends.
std::vector<std::int64_t> starts(const std::vector<std::int64_t> &widths) {
  std::vector<std::int64_t> result{0};
  for (std::int64_t width : widths)
    result.push_back(result.back() + width);
  return result;
}

/// To nearest, ties to even.
float rounded(double value, algrt::ElementType output) {
  const float exact = static_cast<float>(value);
  if (output == algrt::ElementType::f32)
    return exact;
  const auto bits = std::bit_cast<std::uint32_t>(exact);
  const std::uint32_t upper = bits >> 16, lower = bits & 0xffff;
  const bool up = lower > 0x8000 || (lower == 0x8000 && (upper & 1) != 0);
  return std::bit_cast<float>((upper + (up ? 1 : 0)) << 16);
}

} // namespace

compiler::Spec projection(const std::string &algebra, std::int64_t in, std::int64_t out,
                          const std::string &row_types, const std::string &lift) {
  compiler::SpecOptions options;
  options.spec = algebra;
  options.in = in;
  options.out = out;
  options.dtype = "bf16";
  options.row_types = row_types;
  options.lift = lift;
  return compiler::loadSpec(options);
}

compiler::Spec projection(const std::string &algebra, const std::vector<std::int64_t> &in_groups,
                          const std::vector<std::int64_t> &out_groups, const std::string &row_types) {
  compiler::SpecOptions options;
  options.spec = algebra;
  options.in_groups = in_groups;
  options.out_groups = out_groups;
  options.dtype = "bf16";
  options.row_types = row_types;
  return compiler::loadSpec(options);
}

std::string emittedKernel(const compiler::Spec &spec, const std::string &schedule, algrt::ElementType output,
                          const std::string &target, algrt::Map map) {
  compiler::CompileOptions options;
  options.targets = {compiler::targetNamed(target)};
  options.schedule = schedule;
  options.map = map;
  options.output = output == algrt::ElementType::f32 ? algebras::DataType::F32 : algebras::DataType::BF16;
  return compiler::gpuProgram(spec, options.targets.front(), options).nvvm;
}

ExactCase::ExactCase(const compiler::Spec &spec, std::int64_t m, std::int64_t p0, std::uint64_t seed,
                     algrt::Map map, float beta, RowPlaces places)
    : layer(compiler::runtimeLayer(compiler::requireLayer(spec))),
      support(compiler::runtimeSupport(compiler::requireLayer(spec))), map(map), m(m), p0(p0), beta(beta) {
  std::mt19937_64 random(seed);
  compiler_test::Batch batch;
  batch.m = m;
  batch.p0 = p0;
  if (layer.row_types == algrt::RowTypesKind::explicit_types) {
    types = drawnTypes(m, layer.types, random);
    batch.types = types;
  }
  if (places == RowPlaces::Drawn) {
    drawPositions(random);
    for (const std::int64_t position : positions)
      batch.positions.push_back((position % period() + period()) % period());
  }
  x = wholeNumbers(m * (map == algrt::Map::dx ? layer.n : layer.k), random);
  if (map == algrt::Map::dw) {
    w = wholeNumbers(m * layer.n, random);
    expected = compiler_test::bankGradient(compiler::requireLayer(spec), batch,
                                           std::vector<double>(x.begin(), x.end()),
                                           std::vector<double>(w.begin(), w.end()));
    if (beta != 0) {
      held = wholeNumbers(layer.k * layer.bankColumns(), random);
      for (std::size_t i = 0; i < held.size(); ++i)
        expected[i] += static_cast<double>(beta) * static_cast<double>(held[i]);
    }
    spoilRowsThatAreNotRead();
    return;
  }
  w = wholeNumbers(layer.k * layer.bankColumns(), random);
  const compiler_test::DenseProduct dense(compiler::requireLayer(spec),
                                          std::vector<double>(w.begin(), w.end()));
  const std::vector<double> rows(x.begin(), x.end());
  expected = map == algrt::Map::dx ? dense.multiplyTransposed(batch, rows) : dense.multiply(batch, rows);
  spoilWhatIsNotRead();
}

std::int64_t ExactCase::typeOf(std::int64_t row) const {
  if (!types.empty())
    return types[static_cast<std::size_t>(row)];
  const std::int64_t position = positions.empty() ? p0 + row : positions[static_cast<std::size_t>(row)];
  return (position % period() + period()) % period() / layer.row_type_width;
}

/// Near and far ones, of 32 bits or of 64.
void ExactCase::drawPositions(std::mt19937_64 &random) {
  wide_positions = random() % 2 == 0;
  const std::int64_t far = wide_positions ? std::int64_t{1} << 50 : 1 << 30;
  for (std::int64_t row = 0; row < m; ++row) {
    const auto near = static_cast<std::int64_t>(random() % 200) - 60;
    positions.push_back(random() % 3 == 0 ? far + near : near);
  }
}

void ExactCase::spoilWhatIsNotRead() {
  const std::int64_t bank_columns = layer.bankColumns();
  std::vector<char> x_read(x.size()), w_read(w.size());
  const std::vector<std::int64_t> in = starts(layer.in_groups), bank = starts(layer.bank_rows),
                                  out = starts(layer.out_groups);
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
  for (std::int64_t row = 0; row < m; ++row) {
    const std::int64_t type = typeOf(row);
    for (std::size_t group = 0; group < layer.out_groups.size(); ++group) {
      // In the slot lift a block of the bank has no neighbours in its rows.
      const bool slots = layer.lift == algrt::Lift::slots;
      const std::int64_t from = slots ? 0 : out[group], to = slots ? bank_columns : out[group + 1];
      algrt::TermStorage storage;
      for (const algrt::Term &term : support.terms(type, static_cast<std::int64_t>(group), storage)) {
        const auto k = static_cast<std::size_t>(term.input_group),
                   b = static_cast<std::size_t>(term.bank_row);
        if (map == algrt::Map::dx)
          std::fill(x_read.begin() + row * layer.n + out[group],
                    x_read.begin() + row * layer.n + out[group + 1], 1);
        else
          std::fill(x_read.begin() + row * layer.k + in[k], x_read.begin() + row * layer.k + in[k + 1], 1);
        if (!seen.emplace(type, group, b).second)
          continue;
        for (std::int64_t depth = bank[b]; depth < bank[b + 1]; ++depth)
          std::fill(w_read.begin() + depth * bank_columns + from, w_read.begin() + depth * bank_columns + to,
                    1);
      }
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = x_read[i] ? x[i] : nan;
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = w_read[i] ? w[i] : nan;
}

/// Groups of X and dY in rows of types none of whose terms name them.
void ExactCase::spoilRowsThatAreNotRead() {
  std::vector<char> x_read(x.size()), dy_read(w.size());
  const std::vector<std::int64_t> in = starts(layer.in_groups), out = starts(layer.out_groups);
  for (std::int64_t row = 0; row < m; ++row) {
    const std::int64_t type = typeOf(row);
    for (std::size_t group = 0; group < layer.out_groups.size(); ++group) {
      algrt::TermStorage storage;
      for (const algrt::Term &term : support.terms(type, static_cast<std::int64_t>(group), storage)) {
        const auto k = static_cast<std::size_t>(term.input_group);
        std::fill(x_read.begin() + row * layer.k + in[k], x_read.begin() + row * layer.k + in[k + 1], 1);
        std::fill(dy_read.begin() + row * layer.n + out[group],
                  dy_read.begin() + row * layer.n + out[group + 1], 1);
      }
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = x_read[i] ? x[i] : nan;
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = dy_read[i] ? w[i] : nan;
}

ExactCase::Objection ExactCase::run(const compiler::SimulatedKernel &kernel,
                                    const compiler::SimulationSettings &settings) const {
  const compiler::Simulation simulation = kernel.run({.layer = &layer,
                                                      .support = &support,
                                                      .m = m,
                                                      .p0 = p0,
                                                      .x = x,
                                                      .w = w,
                                                      .held = held,
                                                      .beta = beta,
                                                      .types = types,
                                                      .positions = positions,
                                                      .wide_positions = wide_positions},
                                                     settings);
  if (!simulation.report.ok()) {
    const simulator::Fault &fault = simulation.report.faults.front();
    return {std::string(simulator::name(fault.kind)), kernel.explain(fault)};
  }
  if (simulation.unwritten > 0)
    return {"not written", fmt::format("{} elements of the result were never written", simulation.unwritten)};
  const std::int64_t columns = compiler::resultColumns(layer, map);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float right = rounded(expected[i], kernel.description().output);
    if (simulation.y[i] != right)
      return {"wrong numbers",
              fmt::format("result[{}, {}] is {}, not {}", static_cast<std::int64_t>(i) / columns,
                          static_cast<std::int64_t>(i) % columns, simulation.y[i], right)};
  }
  return {};
}

compiler::SimulationSettings settingsOf(std::uint64_t seed, std::int32_t blocks) {
  compiler::SimulationSettings settings;
  settings.seed = seed;
  settings.blocks = blocks;
  settings.x_padding = static_cast<std::int64_t>(seed % 3);
  settings.w_padding = static_cast<std::int64_t>(seed / 3 % 3);
  settings.y_padding = static_cast<std::int64_t>(seed / 2 % 3);
  settings.x_shift = static_cast<std::int64_t>(seed % 2);
  settings.w_shift = static_cast<std::int64_t>(seed / 2 % 4);
  settings.y_shift = static_cast<std::int64_t>(seed / 3 % 2);
  return settings;
}

} // namespace simulator_test
