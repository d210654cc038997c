#include "compiler/simulator/agreement.h"

#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace compiler {
namespace {

/// The same terms with the magnitudes of their coefficients.
algrt::Support magnitudes(const algrt::Layer &layer, const algrt::Support &support) {
  const auto groups = static_cast<int64_t>(layer.out_groups.size());
  std::vector<std::vector<algrt::Term>> slots;
  for (int64_t type = 0; type < layer.types; ++type)
    for (int64_t group = 0; group < groups; ++group) {
      algrt::TermStorage storage;
      auto terms = support.terms(type, group, storage);
      slots.emplace_back(terms.begin(), terms.end());
      for (algrt::Term &term : slots.back())
        term.coefficient = std::abs(term.coefficient);
    }
  return algrt::Support::parseTable(algrt::encodeTerms(layer.types, groups, slots), layer);
}

const int32_t *typesOf(const ProductOperands &product) {
  return product.types.empty() ? nullptr : product.types.data();
}

/// Of the gradient of the weight matrix: rows of every term of the block that has most.
int64_t longestWeightSum(const ProductOperands &product) {
  const algrt::Layer &layer = *product.layer;
  const auto groups = static_cast<int64_t>(layer.out_groups.size());
  std::vector<int64_t> rows_of(static_cast<size_t>(layer.types));
  for (const int64_t type : algrt::rowTypes(layer, product.m, product.p0, typesOf(product)))
    ++rows_of[static_cast<size_t>(type)];
  std::map<std::pair<int64_t, int64_t>, int64_t> products;
  int64_t longest = 0;
  for (int64_t type = 0; type < layer.types; ++type)
    for (int64_t group = 0; group < groups; ++group) {
      algrt::TermStorage storage;
      for (const algrt::Term &term : product.support->terms(type, group, storage)) {
        const int64_t column = layer.lift == algrt::Lift::Slots ? 0 : group;
        int64_t &sum = products[{term.weight_row, column}];
        sum += rows_of[static_cast<size_t>(type)];
        longest = std::max(longest, sum);
      }
    }
  return longest + (product.beta != 0 ? 1 : 0);
}

/// The most products that one element of the result sums.
int64_t longestSum(const ProductOperands &product, algrt::Map map) {
  if (map == algrt::Map::Dw)
    return longestWeightSum(product);
  const algrt::Layer &layer = *product.layer;
  const algrt::Support &support = *product.support;
  const bool forward = map == algrt::Map::Forward;
  int64_t longest = 0;
  for (int64_t type = 0; type < layer.types; ++type) {
    std::vector<int64_t> products((forward ? layer.out_groups : layer.in_groups).size());
    for (size_t group = 0; group < layer.out_groups.size(); ++group) {
      algrt::TermStorage storage;
      for (const algrt::Term &term : support.terms(type, static_cast<int64_t>(group), storage)) {
        const auto input = static_cast<size_t>(term.input_group);
        products[forward ? group : input] += forward ? layer.in_groups[input] : layer.out_groups[group];
      }
    }
    longest = std::max(longest, *std::max_element(products.begin(), products.end()));
  }
  return longest;
}

/// Half the distance between neighbouring bf16 numbers of this magnitude.
double halfUnitOfBfloat16(double magnitude) {
  if (magnitude == 0)
    return 0;
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude is in [2^(exponent-1), 2^exponent)
  return std::ldexp(1.0, exponent - 1 - 8);
}

std::vector<float> absolute(std::span<const float> values) {
  std::vector<float> result;
  result.reserve(values.size());
  for (float value : values)
    result.push_back(std::abs(value));
  return result;
}

/// Of a row whose types follow from its position, which may be negative.
int32_t typeAt(const algrt::Layer &layer, int64_t position) {
  if (layer.lift == algrt::Lift::Slots)
    return 0;
  const int64_t width = layer.row_types == algrt::RowTypesKind::Interval ? layer.row_type_width : 1,
                period = layer.types * width;
  const int64_t left = (position % period + period) % period;
  return static_cast<int32_t>(left / width);
}

std::vector<double> evaluate(const ProductOperands &product, const algrt::Support &support, algrt::Map map,
                             const float *x, const float *w, const float *bias) {
  if (map == algrt::Map::Dx)
    return algrt::referenceDx({product.layer, &support, product.m, x, product.layer->n, w,
                               product.layer->weightColumns(), product.p0, typesOf(product)});
  if (map == algrt::Map::Dw)
    return algrt::referenceDw({product.layer, &support, product.m, x, product.layer->k, w, product.layer->n,
                               product.p0, typesOf(product)});
  algrt::ForwardProblem problem{};
  problem.layer = product.layer;
  // Positions of single rows are types of single rows.
  std::vector<int32_t> types;
  for (const int64_t position : product.positions)
    types.push_back(typeAt(*product.layer, position));
  problem.types = types.empty() ? typesOf(product) : types.data();
  problem.support = &support;
  problem.m = product.m;
  problem.x = x;
  problem.x_stride = product.layer->k;
  problem.w = w;
  problem.w_stride = product.layer->weightColumns();
  problem.p0 = product.p0;
  problem.bias = product.bias.empty() ? nullptr : bias;
  return algrt::referenceForward(problem);
}

bool sameKind(float actual, double expected) {
  if (std::isnan(expected))
    return std::isnan(actual);
  if (std::isinf(expected))
    return std::isinf(actual) && (actual > 0) == (expected > 0);
  return std::isfinite(actual);
}

} // namespace

int64_t expectedProductBytes(const algrt::Layer &layer, int64_t m, algrt::Map map) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  int64_t bytes = 0;
  const auto add = [&](int64_t rows, int64_t columns, int64_t element) {
    const int64_t elements = checkedMultiply(rows, columns, "the size of a matrix");
    bytes = checkedAdd(bytes, checkedMultiply(elements, element, "the bytes of a matrix"),
                       "the bytes of all matrices");
  };
  // Magnitudes of the operands; of the result its value and its slack in double.
  constexpr int64_t single = 4, two_doubles = 16;
  const bool weight_gradient = map == algrt::Map::Dw;
  add(m, map == algrt::Map::Dx ? layer.n : layer.k, single);
  add(weight_gradient ? m : layer.k, weight_gradient ? layer.n : layer.weightColumns(), single);
  add(weight_gradient ? layer.k : m, resultColumns(layer, map), two_doubles);
  add(m, 1, single); // types
  return bytes;
}

ExpectedProduct expectedProduct(const ProductOperands &product, algrt::Map map) {
  ExpectedProduct expected;
  expected.value =
      evaluate(product, *product.support, map, product.x.data(), product.w.data(), product.bias.data());
  const std::vector<float> x = absolute(product.x), w = absolute(product.w), bias = absolute(product.bias);
  expected.slack =
      evaluate(product, magnitudes(*product.layer, *product.support), map, x.data(), w.data(), bias.data());
  if (product.beta != 0)
    for (size_t i = 0; i < expected.value.size(); ++i) {
      const double added = static_cast<double>(product.beta) * static_cast<double>(product.held[i]);
      expected.value[i] += added;
      expected.slack[i] += std::abs(added);
    }
  // Each addition rounds a sum of at most this magnitude; tensor cores truncate: a whole unit, 2^-23.
  const int64_t additions = longestSum(product, map) + (product.bias.empty() ? 0 : 1);
  const double factor = static_cast<double>(additions) * std::ldexp(1.0, -23);
  for (double &slack : expected.slack)
    slack *= factor;
  return expected;
}

Agreement agreement(std::span<const float> y, const ExpectedProduct &expected, algrt::ElementType output) {
  Agreement result;
  for (size_t i = 0; i < y.size(); ++i) {
    const double value = expected.value[i];
    bool wrong = !sameKind(y[i], value);
    if (!wrong && std::isfinite(value)) {
      const double error = std::abs(static_cast<double>(y[i]) - value);
      // The last rounding of an f32 result is within the slack.
      const double rounding =
          output == algrt::ElementType::Bf16 ? halfUnitOfBfloat16(std::abs(value) + expected.slack[i]) : 0;
      const double tolerance = expected.slack[i] + rounding;
      wrong = error > tolerance;
      result.largest_error = std::max(result.largest_error, error);
      if (error > 0)
        result.worst = std::max(result.worst, tolerance > 0 ? error / tolerance : HUGE_VAL);
    }
    if (wrong && result.wrong++ == 0)
      result.first_wrong = static_cast<int64_t>(i);
  }
  return result;
}

std::string describeFirst(const Agreement &agreement, std::span<const float> y,
                          const ExpectedProduct &expected, const algrt::Layer &layer, algrt::Map map) {
  const auto i = static_cast<size_t>(agreement.first_wrong);
  const int64_t columns = resultColumns(layer, map);
  return fmt::format("{}[{}, {}] is {}, not {:.9g}", resultName(map), agreement.first_wrong / columns,
                     agreement.first_wrong % columns, y[i], expected.value[i]);
}

} // namespace compiler
