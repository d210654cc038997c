// The operands of one measured case: random, in the layer's type, with the tensors that describe them.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bench/active_work.h"
#include "runtime/bundle/bundle.h"
#include "runtime/reference/compare.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

class CaseData {
public:
  CaseData(const Bundle &bundle, int64_t m, uint64_t seed);
  CaseData(const CaseData &) = delete;

  // Everything but the weights: x, y, the types where they are explicit, and the bias where there is one.
  algrt_forward_args args() const;
  const DLTensor &bank() const { return w_tensor_; }
  int64_t activeMacs() const { return work_.macs; }
  // x, y and the blocks of the bank that some row reads, each once.
  int64_t activeBytes() const;
  // y as NaN, so that what a kernel forgets to write is seen.
  void poisonResult();
  // y against the reference: all rows, or a random sample where they would cost more than about 4e9 MACs.
  Comparison check(int threads) const;
  int64_t checkedRows() const { return int64_t(checked_rows_.size()); }
  // A K x N matrix for the dense library: the bank itself in the row lift.
  const void *denseWeights();
  const void *x() const { return x_.data(); }
  void *y() { return y_.data(); }

private:
  std::vector<float> widened(const AlignedBuffer &buffer, int64_t count) const;

  const Bundle &bundle_;
  int64_t m_;
  uint64_t seed_;
  AlignedBuffer x_, w_, y_, bias_, dense_w_; // the bias where the layer has one
  std::vector<int32_t> types_;               // explicit types
  ActiveWork work_;
  std::vector<int64_t> checked_rows_;
  int64_t x_shape_[2], w_shape_[2], y_shape_[2], types_shape_[1], bias_shape_[1];
  DLTensor x_tensor_, w_tensor_, y_tensor_, types_tensor_, bias_tensor_;
};

} // namespace algrt
