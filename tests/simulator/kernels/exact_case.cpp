#include "tests/simulator/kernels/exact_case.h"

#include "compiler/bundle/layer_description.h"
#include "compiler/pipeline/gpu_pipeline.h"
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
#include <sstream>
#include <tuple>

namespace simulator_test {
namespace {

std::vector<float> wholeNumbers(int64_t count, std::mt19937_64 &random) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float &value : values)
    value = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return values;
}

/// Of as many types as there are, of about half of them, or of one.
std::vector<int32_t> drawnTypes(int64_t m, int64_t types, std::mt19937_64 &random) {
  const auto first = static_cast<int64_t>(random() % static_cast<uint64_t>(types));
  const int64_t present = std::array{types, (types + 1) / 2, int64_t{1}}[random() % 3];
  std::vector<int32_t> drawn(static_cast<size_t>(m));
  for (int32_t &type : drawn)
    type = static_cast<int32_t>((first + static_cast<int64_t>(random() % static_cast<uint64_t>(present))) %
                                types);
  return drawn;
}

/// Where each group begins, and where the last one ends.
std::vector<int64_t> starts(const std::vector<int64_t> &widths) {
  std::vector<int64_t> result{0};
  for (int64_t width : widths)
    result.push_back(result.back() + width);
  return result;
}

/// To nearest, ties to even.
float rounded(double value, algrt::ElementType output) {
  const float exact = static_cast<float>(value);
  if (output == algrt::ElementType::F32)
    return exact;
  const auto bits = std::bit_cast<uint32_t>(exact);
  const uint32_t upper = bits >> 16, lower = bits & 0xffff;
  const bool up = lower > 0x8000 || (lower == 0x8000 && (upper & 1) != 0);
  return std::bit_cast<float>((upper + (up ? 1 : 0)) << 16);
}

} // namespace

compiler::Spec projection(const std::string &algebra, int64_t in, int64_t out, const std::string &row_types,
                          const std::string &lift) {
  compiler::SpecOptions options;
  options.spec = algebra;
  options.in = in;
  options.out = out;
  options.dtype = "bf16";
  options.row_types = row_types;
  options.lift = lift;
  return compiler::loadSpec(options);
}

compiler::Spec projection(const std::string &algebra, const std::vector<int64_t> &in_groups,
                          const std::vector<int64_t> &out_groups, const std::string &row_types) {
  compiler::SpecOptions options;
  options.spec = algebra;
  options.in_groups = in_groups;
  options.out_groups = out_groups;
  options.dtype = "bf16";
  options.row_types = row_types;
  return compiler::loadSpec(options);
}

std::string withoutLines(const std::string &text, std::string_view words) {
  std::string others;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(words) == std::string::npos)
      others += line + "\n";
  return others;
}

std::string emittedKernel(const compiler::Spec &spec, const std::string &schedule, algrt::ElementType output,
                          const std::string &target, algrt::Map map) {
  compiler::CompileOptions options;
  options.targets = {compiler::targetNamed(target)};
  options.schedule = schedule;
  options.map = map;
  options.output = output == algrt::ElementType::F32 ? algebras::DataType::F32 : algebras::DataType::BF16;
  return compiler::gpuProgram(spec, options.targets.front(), options).nvvm;
}

ExactCase::ExactCase(const compiler::Spec &spec, int64_t m, int64_t p0, uint64_t seed, algrt::Map map,
                     float beta, RowPlaces places)
    : layer_(compiler::runtimeLayer(compiler::requireLayer(spec))),
      support_(compiler::runtimeSupport(compiler::requireLayer(spec))), map_(map), m_(m), p0_(p0),
      beta_(beta) {
  std::mt19937_64 random(seed);
  compiler_test::Batch batch;
  batch.m = m;
  batch.p0 = p0;
  if (layer_.row_types == algrt::RowTypesKind::ExplicitTypes) {
    types_ = drawnTypes(m, layer_.types, random);
    batch.types = types_;
  }
  if (places == RowPlaces::Drawn) {
    drawPositions(random);
    for (const int64_t position : positions_)
      batch.positions.push_back((position % period() + period()) % period());
  }
  x_ = wholeNumbers(m * (map == algrt::Map::Dx ? layer_.n : layer_.k), random);
  if (map == algrt::Map::Dw) {
    w_ = wholeNumbers(m * layer_.n, random);
    expected_ = compiler_test::weightGradient(compiler::requireLayer(spec), batch,
                                              std::vector<double>(x_.begin(), x_.end()),
                                              std::vector<double>(w_.begin(), w_.end()));
    if (beta != 0) {
      held_ = wholeNumbers(layer_.k * layer_.weightColumns(), random);
      for (size_t i = 0; i < held_.size(); ++i)
        expected_[i] += static_cast<double>(beta) * static_cast<double>(held_[i]);
    }
    spoilRowsThatAreNotRead();
    return;
  }
  w_ = wholeNumbers(layer_.k * layer_.weightColumns(), random);
  const compiler_test::DenseProduct dense(compiler::requireLayer(spec),
                                          std::vector<double>(w_.begin(), w_.end()));
  const std::vector<double> rows(x_.begin(), x_.end());
  expected_ = map == algrt::Map::Dx ? dense.multiplyTransposed(batch, rows) : dense.multiply(batch, rows);
  spoilWhatIsNotRead();
}

int64_t ExactCase::typeOf(int64_t row) const {
  if (!types_.empty())
    return types_[static_cast<size_t>(row)];
  const int64_t position = positions_.empty() ? p0_ + row : positions_[static_cast<size_t>(row)];
  return (position % period() + period()) % period() / layer_.row_type_width;
}

/// Near and far ones, of 32 bits or of 64.
void ExactCase::drawPositions(std::mt19937_64 &random) {
  wide_positions_ = random() % 2 == 0;
  const int64_t far = wide_positions_ ? int64_t{1} << 50 : 1 << 30;
  for (int64_t row = 0; row < m_; ++row) {
    const auto near = static_cast<int64_t>(random() % 200) - 60;
    positions_.push_back(random() % 3 == 0 ? far + near : near);
  }
}

void ExactCase::spoilWhatIsNotRead() {
  const int64_t weight_columns = layer_.weightColumns();
  std::vector<char> x_read(x_.size()), w_read(w_.size());
  const std::vector<int64_t> in = starts(layer_.in_groups), weights = starts(layer_.weight_rows),
                             out = starts(layer_.out_groups);
  std::set<std::tuple<int64_t, int64_t, int64_t>> seen;
  for (int64_t row = 0; row < m_; ++row) {
    const int64_t type = typeOf(row);
    for (size_t group = 0; group < layer_.out_groups.size(); ++group) {
      // In the slot lift a block of the weight matrix has no neighbours in its rows.
      const bool slots = layer_.lift == algrt::Lift::Slots;
      const int64_t from = slots ? 0 : out[group], to = slots ? weight_columns : out[group + 1];
      algrt::TermStorage storage;
      for (const algrt::Term &term : support_.terms(type, static_cast<int64_t>(group), storage)) {
        const auto k = static_cast<size_t>(term.input_group), b = static_cast<size_t>(term.weight_row);
        if (map_ == algrt::Map::Dx)
          std::fill(x_read.begin() + row * layer_.n + out[group],
                    x_read.begin() + row * layer_.n + out[group + 1], 1);
        else
          std::fill(x_read.begin() + row * layer_.k + in[k], x_read.begin() + row * layer_.k + in[k + 1], 1);
        if (!seen.emplace(type, group, b).second)
          continue;
        for (int64_t depth = weights[b]; depth < weights[b + 1]; ++depth)
          std::fill(w_read.begin() + depth * weight_columns + from,
                    w_read.begin() + depth * weight_columns + to, 1);
      }
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 0; i < x_.size(); ++i)
    x_[i] = x_read[i] ? x_[i] : nan;
  for (size_t i = 0; i < w_.size(); ++i)
    w_[i] = w_read[i] ? w_[i] : nan;
}

/// Groups of X and dY in rows of types none of whose terms name them.
void ExactCase::spoilRowsThatAreNotRead() {
  std::vector<char> x_read(x_.size()), dy_read(w_.size());
  const std::vector<int64_t> in = starts(layer_.in_groups), out = starts(layer_.out_groups);
  for (int64_t row = 0; row < m_; ++row) {
    const int64_t type = typeOf(row);
    for (size_t group = 0; group < layer_.out_groups.size(); ++group) {
      algrt::TermStorage storage;
      for (const algrt::Term &term : support_.terms(type, static_cast<int64_t>(group), storage)) {
        const auto k = static_cast<size_t>(term.input_group);
        std::fill(x_read.begin() + row * layer_.k + in[k], x_read.begin() + row * layer_.k + in[k + 1], 1);
        std::fill(dy_read.begin() + row * layer_.n + out[group],
                  dy_read.begin() + row * layer_.n + out[group + 1], 1);
      }
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 0; i < x_.size(); ++i)
    x_[i] = x_read[i] ? x_[i] : nan;
  for (size_t i = 0; i < w_.size(); ++i)
    w_[i] = dy_read[i] ? w_[i] : nan;
}

ExactCase::Objection ExactCase::faultsOf(const compiler::SimulatedKernel &kernel,
                                         const compiler::Simulation &simulation) {
  if (!simulation.report.ok()) {
    const simulator::Fault &fault = simulation.report.faults.front();
    return {std::string(simulator::name(fault.kind)), kernel.explain(fault)};
  }
  if (simulation.unwritten > 0)
    return {"not written", fmt::format("{} elements of the result were never written", simulation.unwritten)};
  return {};
}

ExactCase::Objection ExactCase::run(const compiler::SimulatedKernel &kernel,
                                    const compiler::SimulationSettings &settings) const {
  const compiler::Simulation simulation = kernel.run({.layer = &layer_,
                                                      .support = &support_,
                                                      .m = m_,
                                                      .p0 = p0_,
                                                      .x = x_,
                                                      .w = w_,
                                                      .held = held_,
                                                      .beta = beta_,
                                                      .types = types_,
                                                      .positions = positions_,
                                                      .wide_positions = wide_positions_},
                                                     settings);
  if (Objection found = faultsOf(kernel, simulation); !found.kind.empty())
    return found;
  const int64_t columns = compiler::resultColumns(layer_, map_);
  for (size_t i = 0; i < expected_.size(); ++i) {
    const float right = rounded(expected_[i], kernel.description().output);
    if (simulation.y[i] != right)
      return {"wrong numbers", fmt::format("result[{}, {}] is {}, not {}", static_cast<int64_t>(i) / columns,
                                           static_cast<int64_t>(i) % columns, simulation.y[i], right)};
  }
  return {};
}

compiler::SimulationSettings settingsOf(uint64_t seed, int32_t blocks) {
  compiler::SimulationSettings settings;
  settings.seed = seed;
  settings.blocks = blocks;
  settings.x_padding = static_cast<int64_t>(seed % 3);
  settings.w_padding = static_cast<int64_t>(seed / 3 % 3);
  settings.y_padding = static_cast<int64_t>(seed / 2 % 3);
  settings.x_shift = static_cast<int64_t>(seed % 2);
  settings.w_shift = static_cast<int64_t>(seed / 2 % 4);
  settings.y_shift = static_cast<int64_t>(seed / 3 % 2);
  return settings;
}

} // namespace simulator_test
