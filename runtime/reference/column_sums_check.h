// The gradient of a bias against sums in double precision: the columns of dY, all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace algrt {

class ColumnSumsCheck {
public:
  // `dy` is m x n of bf16, row-major and compact; it is read here and not kept.
  ColumnSumsCheck(const uint16_t *dy, int64_t m, int64_t n);

  // What is wrong with n sums that were rounded to bf16, as a sentence with a place and numbers; empty where
  // they are right.
  std::string objection(const uint16_t *sums) const;

private:
  std::vector<double> sums_, magnitudes_;
};

} // namespace algrt
