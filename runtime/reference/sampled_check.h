// A result of bf16 operands against sums in double precision: all of it where that is cheap, otherwise a
// sample that leaves no part out. Shares nothing with the kernels, and nothing with referenceForward but the
// row types.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/map.h"
#include "runtime/reference/element_sums.h"

#include <cstdint>
#include <string>
#include <vector>

namespace algrt {

// Beyond the rounding of the result itself: f32 sums in any order, truncated at every step as tensor cores
// do, stay far below this fraction of the sum of absolute values at every depth up to 2^16.
constexpr double f32_sum_error = 0x1p-14;
// The relative error of a bf16 result that is rounded once.
constexpr double bf16_rounding = 0x1p-8;

// The bit pattern of an output that nobody has written: every byte of the result is set to this before a
// checked run. It is NaN in bf16 and in f32.
inline constexpr unsigned char unwritten_byte = 0xff;

struct SampledCheckOptions {
  Map map = Map::Forward; // whose result is checked
  int64_t p0 = 0;         // absolute position of row 0
  uint64_t seed = 1;
  int threads = 0; // 0 = all
  // At most so many multiply-accumulates: whole results up to the first number, samples up to the second.
  int64_t whole_macs = int64_t(1) << 26;
  int64_t sample_macs = int64_t(3) << 27;
};

struct CheckOutcome {
  int64_t samples = 0;
  int64_t unwritten = 0;                    // elements of all of the result that hold the pattern or are NaN
  int64_t wrong = 0;                        // samples off by more than rounding explains
  double relative_l2 = 0, max_relative = 0; // as Comparison has them; infinite where a sample is not finite
  std::string failure; // empty if the result is right; otherwise a sentence with numbers and a place

  bool right() const { return failure.empty(); }
};

class SampledCheck {
public:
  // The operands of ElementSums; they are read here and not kept. The bundle has to outlive the check.
  //
  // A sample holds at least one output of every cell, a cell being up to 64 rows of one kind (ResultBlocks)
  // by up to 64 columns of one group: every block of the product, diagonal (group = kind) and off-diagonal,
  // over the whole range of rows; further the first and the last row in every group, and at least 4096
  // outputs in all. Cells grow where they would cost more than options.sample_macs.
  SampledCheck(const Bundle &bundle, int64_t m, const uint16_t *first, const uint16_t *second,
               const SampledCheckOptions &options, const uint16_t *bias = nullptr);

  // `result` is row-major and compact. `roundings` is how often the sums that became it were rounded to its
  // type: 1 where only the result was, more where it was added to in rounds.
  CheckOutcome compare(const void *result, ElementType output, int64_t roundings = 1) const;

  bool whole() const { return whole_; }
  int64_t samples() const { return int64_t(samples_.size()); }
  // Samples in blocks whose group is the row's kind; 0 in the slot lift, which has no diagonal.
  int64_t diagonalSamples() const;

private:
  struct Sample {
    int64_t row, column;
    int32_t kind, group;
    ElementSum expected;
  };
  void addSample(int64_t row, int64_t column);
  void chooseAll();
  void chooseCells(double macs_of_an_output);
  int64_t unwrittenElements(const void *result, ElementType output) const;
  std::string place(const Sample &sample) const;

  const Bundle &bundle_;
  SampledCheckOptions options_;
  ResultBlocks blocks_;
  std::vector<int64_t> group_of_column_, group_begin_; // of the result
  std::vector<Sample> samples_;
  bool whole_ = false;
};

} // namespace algrt
