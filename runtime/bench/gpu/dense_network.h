// A feed-forward network as a model without the algebra computes it on a GPU: cuBLASLt's products, gate and
// up as one, and the activation as a kernel of its own between them. Of experts, products for each.
#pragma once

#include "runtime/bench/api_call.h"
#include "runtime/bench/gpu/baselines.h"
#include "runtime/bench/gpu/network_operands.h"

#include <memory>
#include <string>
#include <vector>

namespace algrt {

class GpuDenseNetwork {
public:
  // `activation` is a bundle whose program "forward" computes "h" from "up" and, with a gate, "gate", so that
  // both sides have the same one. All that is given has to outlive this object. Throws Error.
  GpuDenseNetwork(const GpuDevice &device, GpuBaselines &baselines, GpuNetworkOperands &operands,
                  const std::string &activation);

  // Whether the library has the products; otherwise `found` says why not, else which ones they are.
  bool exists() const { return exists_; }
  const std::string &found() const { return found_; }
  int64_t macs() const;
  // Valid as long as this object.
  GpuCall call();

  void poisonResult() { y_.fill(0xff); }
  std::vector<uint16_t> result() const;

private:
  void activate(void *stream);

  const GpuNetworkOperands &operands_;
  OpenBundle activation_;
  GpuMemory sums_, h_, y_;
  std::unique_ptr<GpuMemory> workspace_;
  std::vector<std::unique_ptr<GpuDenseProduct>> merged_, down_; // of each expert that has rows
  bool exists_ = true;
  std::string found_;
  int64_t shape_[2], sums_strides_[2], h_strides_[2];
  DLTensor gate_, up_, h_tensor_;
};

} // namespace algrt
