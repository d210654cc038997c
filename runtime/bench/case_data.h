// The operands of one measured map: random, in the layer's type, with the tensors that describe them.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bench/active_work.h"
#include "runtime/bench/dense.h"
#include "runtime/bundle/bundle.h"
#include "runtime/reference/compare.h"
#include "runtime/support/aligned_buffer.h"

namespace algrt {

// What differs between calls on the same operands.
struct CaseCall {
  const algrt_weights *weights = nullptr; // of the map forward: in place of the weight matrix
  int64_t p0 = 0;
  void *workspace = nullptr;
  size_t workspace_bytes = 0;
  int threads = 0;
};

class CaseData {
public:
  // With `rotates`, the work is that of an average call, each at another row type.
  CaseData(const Bundle &bundle, int64_t m, uint64_t seed, Map map = Map::Forward, bool rotates = false);
  CaseData(const CaseData &) = delete;

  // What the operands take, and what making and checking them takes besides, at most. Throws
  // Error(ALGRT_OUT_OF_MEMORY) where that leaves 64 bits.
  static int64_t bytes(const Bundle &bundle, int64_t m, Map map);

  // The map's function of algrt.h on these operands; its status.
  int run(const algrt_bundle *bundle, const CaseCall &call) const;
  const DLTensor &weights() const { return w_tensor_; }
  int64_t activeMacs() const { return work_.macs; }
  // What is read and written, each once: both sides of the activations, and the blocks of the weight matrix
  // that some row reads; of a gradient of the weight matrix all of it, because it is written whole.
  int64_t activeBytes() const;
  // The result as NaN, so that what a kernel forgets to write is seen.
  void poisonResult();
  // The result of a call from position 0 against the reference: all its rows, or a random sample where they
  // would cost more than about 4e9 MACs.
  Comparison check(int threads) const;
  int64_t checkedRows() const { return int64_t(checked_rows_.size()); }
  // The dense product of the same size, into the same memory where its result has the same size: x w,
  // dy w^T or x^T dy. Its weight matrix is the layer's in the row lift, otherwise a random one.
  DenseOperands dense();

private:
  AlignedBuffer &result();
  const AlignedBuffer &result() const { return const_cast<CaseData *>(this)->result(); }
  // Rows and columns of the result.
  std::pair<int64_t, int64_t> resultShape() const;
  std::vector<float> widened(const AlignedBuffer &buffer) const;
  std::vector<double> reference(int threads) const;

  const Bundle &bundle_;
  Map map_;
  int64_t m_;
  uint64_t seed_;
  AlignedBuffer x_, w_, y_, bias_, dense_w_; // or their gradients; the bias where forward adds one
  std::vector<int32_t> types_;               // explicit types
  ActiveWork work_;
  std::vector<int64_t> checked_rows_; // of the result
  int64_t x_shape_[2], w_shape_[2], y_shape_[2], types_shape_[1], bias_shape_[1];
  DLTensor x_tensor_, w_tensor_, y_tensor_, types_tensor_, bias_tensor_;
};

} // namespace algrt
