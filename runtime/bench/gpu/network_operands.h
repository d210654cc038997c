// The tensors of a feed-forward network, or of many experts, on the device and on the host, and what its rows
// are by definition.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bench/gpu/device.h"
#include "runtime/bench/network.h"
#include "runtime/reference/activation.h"
#include "runtime/support/aligned_buffer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace algrt {

class GpuNetworkOperands {
public:
  struct Sizes {
    int64_t m = 0;
    int64_t experts = 0; // 0: one network
  };
  // Random numbers in bf16: x of deviation 1, weights such that sums of products have that. With experts the
  // rows are divided among them as evenly as can be. The network has to outlive this object. Throws Error for
  // other types and where there is no room on the host or the device.
  GpuNetworkOperands(const GpuDevice &device, const Network &network, const Sizes &sizes, uint64_t seed);

  const Network &network() const { return network_; }
  int64_t m() const { return sizes_.m; }
  int64_t experts() const { return sizes_.experts; }
  // Rows first(e) to first(e + 1) - 1 are those of expert e; without experts all are of number 0.
  int64_t networks() const { return int64_t(starts_.size()) - 1; }
  int64_t first(int64_t expert) const { return starts_[size_t(expert)]; }
  int64_t rowsOf(int64_t expert) const { return first(expert + 1) - first(expert); }

  // What every call of the network's program is given; and of a call for the rows of one expert alone. Valid
  // as long as this object.
  std::vector<algrt_named_tensor> tensors() const;
  std::vector<algrt_named_tensor> tensorsOf(int64_t expert) const;
  // Null without experts.
  const DLTensor *expertStarts() const { return starts_tensor_ ? &starts_tensor_->tensor : nullptr; }

  // On the device.
  uint64_t x() const { return x_->memory.address(); }
  uint64_t down(int64_t expert) const;
  // gate beside up, k rows, for the product that a dense network makes of both. Made when it is asked for.
  uint64_t merged(int64_t expert);
  int64_t mergedWidth() const { return (network_.gate ? 2 : 1) * network_.hidden(); }

  void poisonResult() { y_->memory.fill(0xff); }
  std::vector<uint16_t> result() const;

  // Some rows, ascending: of every row type and of every expert that has rows, as far as 128 go, the first
  // and the last among them.
  const std::vector<int64_t> &sampledRows() const { return sampled_rows_; }
  // What rows, ascending, are by definition, or what dense products make of them: one after another.
  std::vector<double> expected(std::span<const int64_t> rows, Activation activation, bool dense,
                               int threads) const;

private:
  struct Tensor {
    Tensor(const GpuDevice &device, const std::vector<int64_t> &shape, DLDataType type, const char *name);
    void fillRandom(double deviation, uint64_t seed);
    const uint16_t *numbers() const { return reinterpret_cast<const uint16_t *>(host.data()); }

    std::vector<int64_t> shape;
    GpuMemory memory;
    AlignedBuffer host;
    DLTensor tensor;
  };
  // Those of one expert, with shapes of their own.
  struct Part {
    std::vector<int64_t> shape;
    DLTensor tensor;
  };
  std::unique_ptr<Part> part(const Tensor &of, int64_t first, int64_t count, bool joins) const;
  void sampleRows(uint64_t seed);

  const GpuDevice &device_;
  const Network &network_;
  const Sizes sizes_;
  std::vector<int32_t> starts_;
  std::unique_ptr<Tensor> x_, gate_, up_, down_, y_, starts_tensor_;
  std::unique_ptr<GpuMemory> merged_;
  std::vector<std::vector<std::unique_ptr<Part>>> parts_; // of each expert: x, gate, up, down, y
  std::vector<int64_t> sampled_rows_;
};

} // namespace algrt
