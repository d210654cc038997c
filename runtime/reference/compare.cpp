#include "runtime/reference/compare.h"

#include "runtime/support/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace algrt {

namespace {

enum class Kind { Finite, Nan, PlusInfinity, MinusInfinity };

Kind kindOf(double value) {
  if (std::isnan(value))
    return Kind::Nan;
  if (std::abs(value) <= double(std::numeric_limits<float>::max()))
    return Kind::Finite;
  return value > 0 ? Kind::PlusInfinity : Kind::MinusInfinity;
}

} // namespace

Comparison compare(std::span<const float> actual, std::span<const double> expected) {
  if (actual.size() != expected.size())
    throw Error(ALGRT_INTERNAL, "compare: " + std::to_string(actual.size()) + " results, " +
                                    std::to_string(expected.size()) + " expected");
  Comparison result;
  result.elements = int64_t(actual.size());
  double error_squares = 0, squares = 0, largest_error = 0, largest = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const Kind kind = kindOf(expected[i]);
    if (kindOf(double(actual[i])) != kind) {
      if (result.kind_mismatches++ == 0)
        result.first_mismatch = int64_t(i);
      continue;
    }
    if (kind != Kind::Finite)
      continue;
    const double error = double(actual[i]) - expected[i];
    error_squares += error * error;
    squares += expected[i] * expected[i];
    largest_error = std::max(largest_error, std::abs(error));
    largest = std::max(largest, std::abs(expected[i]));
  }
  result.relative_l2 = squares > 0 ? std::sqrt(error_squares / squares) : std::sqrt(error_squares);
  result.max_relative = largest > 0 ? largest_error / largest : largest_error;
  return result;
}

std::string mismatchText(const Comparison &comparison, const std::string &reference) {
  const bool one = comparison.kind_mismatches == 1;
  return std::to_string(comparison.kind_mismatches) + (one ? " element is" : " elements are") +
         " NaN or infinite where " + reference + " is not, or the other way round";
}

double tolerance(bool is_bfloat16) { return is_bfloat16 ? 4e-3 : 1e-5; }

} // namespace algrt
