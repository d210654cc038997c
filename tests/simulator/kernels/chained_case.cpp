#include "tests/simulator/kernels/chained_case.h"

#include "compiler/bundle/layer_description.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/compiler/dense_product.h"
#include "tests/simulator/kernels/fused_case.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <utility>

namespace simulator_test {

using algrt::ElementType;
using algrt::FusedOperand;

static algrt::Layer layerOf(const ChainedKernel &kernel) {
  algrt::Layer layer = compiler::runtimeLayer(compiler::requireLayer(kernel.first()));
  algrt::Fusion fusion;
  fusion.weights = kernel.weights;
  if (kernel.columns_read)
    fusion.operands.push_back({"bias", FusedOperand::Per::Column, ElementType::Bf16, 0});
  if (kernel.rows_read) {
    fusion.operands.push_back({"scale", FusedOperand::Per::Row, ElementType::F32, 0});
    fusion.operands.push_back({"residual", FusedOperand::Per::Element, ElementType::Bf16, 1});
  }
  fusion.results = {ElementType::Bf16};
  fusion.next = {.out_groups = compiler::runtimeLayer(compiler::requireLayer(kernel.last())).out_groups};
  layer.fusion = fusion;
  return layer;
}

std::string chainedFunction(const ChainedKernel &kernel) {
  const algrt::Layer layer = layerOf(kernel);
  const int64_t groups = layer.types;
  const std::string types = layer.row_types == algrt::RowTypesKind::Interval
                                ? fmt::format("interval {} x {}", layer.types, layer.row_type_width)
                                : fmt::format("cyclic {}", groups);
  const auto rows = [&](int64_t width, const char *element) {
    return fmt::format("!alg.slots<?x{}x{}, rows({}), cols({} x {})>", width, element, types, groups,
                       width / groups);
  };
  const auto weights = [&](int64_t height, int64_t width) {
    return fmt::format("!alg.slots<{}x{}xbf16, rows({} x {}), cols({} x {})>", height, width, groups,
                       height / groups, groups, width / groups);
  };
  std::string text = fmt::format(
      "!x = {}\n!s = {}\n!h = {}\n!t = {}\n!y = {}\n!w = {}\n!d = {}\n", rows(kernel.in, "bf16"),
      rows(kernel.hidden, "f32"), rows(kernel.hidden, "bf16"), rows(kernel.out, "f32"),
      rows(kernel.out, "bf16"), weights(kernel.in, kernel.hidden), weights(kernel.hidden, kernel.out));
  text += fmt::format("func.func @chained(%x: tensor<?x{}xbf16> loc(\"x\")", kernel.in);
  for (int64_t i = 0; i < kernel.weights; ++i)
    text += fmt::format(", %w{0}: tensor<{1}x{2}xbf16> loc(\"g{0}\")", i, kernel.in, kernel.hidden);
  text += fmt::format(", %d: tensor<{}x{}xbf16> loc(\"d\")", kernel.hidden, kernel.out);
  if (kernel.columns_read)
    text += fmt::format(", %bias: tensor<{}xbf16> loc(\"bias\")", kernel.hidden);
  if (kernel.rows_read)
    text += fmt::format(
        ", %scale: tensor<?xf32> loc(\"scale\"), %residual: tensor<?x{}xbf16> loc(\"residual\")", kernel.out);
  text += fmt::format(", %p0: index) -> tensor<?x{}xbf16> {{\n", kernel.out);
  text += fmt::format("  %xs = alg.slots %x rows({}, %p0) cols({} x {}) : tensor<?x{}xbf16>\n", types, groups,
                      kernel.in / groups, kernel.in);
  std::string sums, sum_types;
  for (int64_t i = 0; i < kernel.weights; ++i) {
    text += fmt::format("  %v{0} = alg.slots %w{0} rows({1} x {2}) cols({1} x {3}) : tensor<{4}x{5}xbf16>\n"
                        "  %s{0} = alg.contract %xs, %v{0} by #alg.algebra<\"{6}\"> -> k : !x, !w into f32\n",
                        i, groups, kernel.in / groups, kernel.hidden / groups, kernel.in, kernel.hidden,
                        kernel.algebra);
    sums += fmt::format("{}%s{}", i ? ", " : "", i);
    sum_types += fmt::format("{}!s", i ? ", " : "");
  }
  std::string product = "%a0";
  std::string arguments = "%a0: f32", body;
  for (int64_t i = 1; i < kernel.weights; ++i) {
    arguments += fmt::format(", %a{}: f32", i);
    body += fmt::format("    %p{0} = arith.mulf {1}, %a{0} : f32\n", i, product);
    product = fmt::format("%p{}", i);
  }
  if (kernel.divides) {
    body +=
        fmt::format("    %one = arith.constant 1.0 : f32\n    %zero = arith.constant 0.0 : f32\n"
                    "    %part = arith.divf %one, %a0 : f32\n    %nothing = arith.mulf %part, %zero : f32\n"
                    "    %same = arith.addf {}, %nothing : f32\n",
                    product);
    product = "%same";
  }
  std::string operands = sums, operand_types = sum_types;
  if (kernel.columns_read) {
    operands += " columns %bias";
    operand_types += fmt::format(", tensor<{}xbf16>", kernel.hidden);
    arguments += ", %b: bf16";
  }
  if (kernel.rows_read) {
    operands += " rows %scale";
    operand_types += ", tensor<?xf32>";
    arguments += ", %c: f32";
    body += fmt::format("    %scaled = arith.mulf {}, %c : f32\n", product);
    product = "%scaled";
  }
  if (kernel.columns_read) {
    body += fmt::format("    %wide = arith.extf %b : bf16 to f32\n    %biased = arith.addf {}, %wide : f32\n",
                        product);
    product = "%biased";
  }
  text +=
      fmt::format("  %h = alg.map {} : ({}) -> !h {{\n  ^bb0({}):\n{}    %r = arith.truncf {} : f32 to bf16\n"
                  "    alg.yield %r : bf16\n  }}\n",
                  operands, operand_types, arguments, body, product);
  text += fmt::format("  %ds = alg.slots %d rows({0} x {1}) cols({0} x {2}) : tensor<{3}x{4}xbf16>\n"
                      "  %t = alg.contract %h, %ds by #alg.algebra<\"{5}\"> -> k : !h, !d into f32\n",
                      groups, kernel.hidden / groups, kernel.out / groups, kernel.hidden, kernel.out,
                      kernel.algebra);
  if (kernel.rows_read)
    text += fmt::format("  %rs = alg.slots %residual rows({}, %p0) cols({} x {}) : tensor<?x{}xbf16>\n"
                        "  %ys = alg.map %t, %rs : (!t, !y) -> !y {{\n  ^bb0(%a: f32, %e: bf16):\n"
                        "    %wide = arith.extf %e : bf16 to f32\n    %v = arith.addf %a, %wide : f32\n"
                        "    %r = arith.truncf %v : f32 to bf16\n    alg.yield %r : bf16\n  }}\n",
                        types, groups, kernel.out / groups, kernel.out);
  else
    text += "  %ys = alg.map %t : (!t) -> !y {\n  ^bb0(%a: f32):\n"
            "    %r = arith.truncf %a : f32 to bf16\n    alg.yield %r : bf16\n  }\n";
  return text + fmt::format("  %y = alg.gather %ys : !y\n  return %y : tensor<?x{}xbf16>\n}}\n", kernel.out);
}

std::string emittedKernel(const ChainedKernel &kernel) {
  return chosenKernel(chainedFunction(kernel), kernel.target, kernel.rows, kernel.schedule, kernel.experts);
}

ChainedCase::ChainedCase(const ChainedKernel &kernel, int64_t m, int64_t p0, uint64_t seed,
                         std::vector<int64_t> positions)
    : layer_(layerOf(kernel)), support_(compiler::runtimeSupport(compiler::requireLayer(kernel.first()))),
      m_(m), p0_(p0), positions_(std::move(positions)), wide_positions_(seed % 2 == 0) {
  std::mt19937_64 random(seed);
  // One in so many is 1 or -1, so that sums stay small.
  const auto numbers = [&](int64_t count, unsigned one_in, int largest) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      if (random() % one_in == 0)
        value =
            static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * largest + 1)) - largest);
    return values;
  };
  const int64_t networks = std::max<int64_t>(kernel.experts, 1);
  x_ = numbers(m * kernel.in, 3, 1);
  for (int64_t i = 0; i < kernel.weights; ++i)
    weights_.push_back(numbers(networks * kernel.in * kernel.hidden, 3, 1));
  if (kernel.divides) {
    for (float &value : x_)
      value += 2;
    for (float &value : weights_.front())
      value += 2;
  }
  weights_.push_back(numbers(networks * kernel.hidden * kernel.out, 2, 1));
  bias_ = numbers(networks * kernel.hidden, 1, kernel.columns_read ? 7 : 0);
  scale_ = numbers(m, 1, 2);
  residual_ = numbers(m * kernel.out, 1, 100);

  compiler_test::Batch batch;
  batch.m = m;
  batch.p0 = p0;
  // What counts is the position modulo the period, as many times below 0 as one likes.
  const int64_t period =
      layer_.types * (layer_.row_types == algrt::RowTypesKind::Interval ? layer_.row_type_width : 1);
  for (const int64_t position : positions_)
    batch.positions.push_back((position % period + period) % period);
  // Of a network its part of what all have, of the rows of the batch.
  const auto part = [&](const std::vector<float> &all, int64_t network) {
    const auto own = static_cast<ptrdiff_t>(all.size()) / networks;
    return std::vector<double>(all.begin() + network * own, all.begin() + (network + 1) * own);
  };
  const auto multiply = [&](const compiler::Spec &spec, const std::vector<double> &w,
                            const std::vector<double> &rows) {
    return compiler_test::DenseProduct(compiler::requireLayer(spec), w).multiply(batch, rows);
  };
  const std::vector<double> rows(x_.begin(), x_.end());
  const auto results_of = [&](int64_t network) {
    std::vector<double> hidden(static_cast<size_t>(m * kernel.hidden), 1);
    for (int64_t i = 0; i < kernel.weights; ++i) {
      const std::vector<double> sums =
          multiply(kernel.first(), part(weights_[static_cast<size_t>(i)], network), rows);
      for (size_t at = 0; at < hidden.size(); ++at)
        hidden[at] *= sums[at];
    }
    const std::vector<double> bias = part(bias_, network);
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < kernel.hidden; ++column) {
        double &value = hidden[static_cast<size_t>(row * kernel.hidden + column)];
        value = value * (kernel.rows_read ? double{scale_[static_cast<size_t>(row)]} : 1) +
                bias[static_cast<size_t>(column)];
        value = double{algrt::roundToBfloat16(static_cast<float>(value))};
      }
    return multiply(kernel.last(), part(weights_.back(), network), hidden);
  };
  if (kernel.experts > 0) {
    divideRows(kernel, random, seed / 2 % 2 == 0);
    for (int64_t expert = 0; expert < networks; ++expert) {
      const std::vector<double> results = results_of(expert);
      for (auto row = static_cast<size_t>(starts_[static_cast<size_t>(expert)]);
           row < static_cast<size_t>(starts_[static_cast<size_t>(expert) + 1]); ++row) {
        const auto from =
            results.begin() + (list_.empty() ? static_cast<ptrdiff_t>(row) : list_[row]) * kernel.out;
        expected_.insert(expected_.end(), from, from + kernel.out);
      }
    }
    return;
  }
  expected_ = results_of(0);
  if (kernel.rows_read)
    for (size_t at = 0; at < expected_.size(); ++at)
      expected_[at] += double{residual_[at]};
}

// All rows, or those that a list names. Some experts may have none.
void ChainedCase::divideRows(const ChainedKernel &kernel, std::mt19937_64 &random, bool listed) {
  const auto below = [&](int64_t end) { return static_cast<int32_t>(random() % static_cast<uint64_t>(end)); };
  for (int64_t expert = 1; expert < kernel.experts; ++expert)
    starts_.push_back(below(m_ + 1));
  starts_.push_back(0);
  starts_.push_back(static_cast<int32_t>(m_));
  std::ranges::sort(starts_);
  for (int64_t row = 0; row < m_ && listed; ++row)
    list_.push_back(below(m_));
}

compiler::ProductOperands ChainedCase::operands() const {
  compiler::ProductOperands operands;
  operands.layer = &layer_;
  operands.support = &support_;
  operands.m = m_;
  operands.p0 = p0_;
  operands.positions = positions_;
  operands.wide_positions = wide_positions_;
  operands.x = x_;
  operands.expert_starts = starts_;
  operands.expert_rows = list_;
  operands.batch_rows = m_;
  operands.w = weights_.front();
  for (size_t i = 1; i < weights_.size(); ++i)
    operands.further[algrt::numberedName("w", static_cast<int64_t>(i))] = weights_[i];
  operands.further["bias"] = bias_;
  operands.further["scale"] = scale_;
  operands.further["residual"] = residual_;
  return operands;
}

ExactCase::Objection ChainedCase::run(const compiler::SimulatedKernel &kernel,
                                      const compiler::SimulationSettings &settings) const {
  const compiler::Simulation run = kernel.run(operands(), settings);
  if (ExactCase::Objection found = ExactCase::faultsOf(kernel, run); !found.kind.empty())
    return found;
  for (size_t at = 0; at < expected_.size(); ++at)
    if (const float right = algrt::roundToBfloat16(static_cast<float>(expected_[at])); !(run.y[at] == right))
      return {"wrong numbers", fmt::format("element {} is {}, not {}", at, run.y[at], right)};
  return {};
}

void ChainedCase::takeRoughNumbers(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  const auto draw = [&](std::vector<float> &numbers) {
    for (float &number : numbers)
      number = algrt::roundToBfloat16(normal(random));
  };
  draw(x_);
  for (std::vector<float> &weights : weights_)
    draw(weights);
  expected_.clear();
}

void ChainedCase::takeEqualNumbers(float x, float first, float last) {
  std::ranges::fill(x_, x);
  for (std::vector<float> &weights : weights_)
    std::ranges::fill(weights, &weights == &weights_.back() ? last : first);
  expected_.clear();
}

ChainedCase ChainedCase::rowAlone(size_t row) const {
  ChainedCase alone = *this;
  const auto take = [&](std::vector<float> &rows) {
    const auto width = static_cast<ptrdiff_t>(rows.size()) / m_, first = static_cast<ptrdiff_t>(row) * width;
    rows = std::vector<float>(rows.begin() + first, rows.begin() + first + width);
  };
  for (std::vector<float> *rows : {&alone.x_, &alone.scale_, &alone.residual_})
    take(*rows);
  alone.positions_ = {positions_.at(row)};
  alone.m_ = 1;
  alone.expected_.clear();
  return alone;
}

std::vector<float> ChainedCase::results(const compiler::SimulatedKernel &kernel,
                                        const compiler::SimulationSettings &settings) const {
  return kernel.run(operands(), settings).y;
}

} // namespace simulator_test
