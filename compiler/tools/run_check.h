// The result of a run beside the reference, which sums in double.
#pragma once

#include "compiler/tools/run_arrays.h"
#include "compiler/tools/run_product.h"
#include "runtime/bundle/bundle.h"
#include "runtime/reference/compare.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace compiler {

struct RunCheck {
  algrt::Comparison comparison;
  double limit = 0;
  int64_t rows = 0;
  bool passed() const { return comparison.within(limit); }
};

// Rows and columns of the result.
std::pair<int64_t, int64_t> resultShape(const algrt::Layer &layer, int64_t m, algrt::Map map);

// Of the array that has it: in the slot lift dW is, as the weight matrix, a block for each slot.
std::vector<int64_t> resultArrayShape(const algrt::Layer &layer, int64_t m, algrt::Map map);

// The reference costs every active product in double; beyond a minute or so a sample of the result's rows has
// to do.
int64_t mostCheckedRows(const algrt::Layer &layer, int64_t m, algrt::Map map);

RunCheck compareWithReference(const algrt::Bundle &bundle, const RunArrays &arrays,
                              const std::vector<float> &y, const ProductOptions &options);

// The gradient of the bias. Throws Failure where it is wrong. `type` is that of the result where the options
// name none.
void requireRightDbias(const RunArrays &arrays, const std::vector<float> &dbias,
                       const ProductOptions &options, algrt::ElementType type);

} // namespace compiler
