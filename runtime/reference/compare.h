// How far a result is from the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace algrt {

struct Comparison {
  double relative_l2 = 0;  // ||actual - expected|| / ||expected|| over the finite elements; the absolute norm
                           // of the error where the reference is zero
  double max_relative = 0; // largest |actual - expected| over largest |expected|, finite elements
  int64_t kind_mismatches = 0; // elements that are NaN, +inf, -inf or finite in one and not in the other
  int64_t first_mismatch = -1; // index of the first of them
  int64_t elements = 0;

  bool within(double tolerance) const { return kind_mismatches == 0 && relative_l2 <= tolerance; }
};

// Why results with kind mismatches are wrong: "3 elements are NaN or infinite where the reference is not, or
// the other way round".
std::string mismatchText(const Comparison &comparison, const std::string &reference = "the reference");

// actual and expected have the same length. Elements of expected beyond the range of float count as infinite.
Comparison compare(std::span<const float> actual, std::span<const double> expected);

// The relative L2 error that a kernel may have: 1e-5 for f32, 4e-3 for bf16.
double tolerance(bool is_bfloat16);

} // namespace algrt
