#include "runtime/bench/gpu/dense_network.h"

#include "runtime/support/checked.h"

#include <array>

namespace algrt {

namespace {

constexpr int64_t element = 2; // bf16

} // namespace

GpuDenseNetwork::GpuDenseNetwork(const GpuDevice &device, GpuBaselines &baselines,
                                 GpuNetworkOperands &operands, const std::string &activation)
    : operands_(operands),
      sums_(device, arrayBytes(std::array{operands.m(), operands.mergedWidth()}, element, "sums"), "sums"),
      h_(device, arrayBytes(std::array{operands.m(), operands.network().hidden()}, element, "h"), "h"),
      y_(device, arrayBytes(std::array{operands.m(), operands.network().out()}, element, "y"),
         "the dense result"),
      shape_{operands.m(), operands.network().hidden()}, sums_strides_{operands.mergedWidth(), 1},
      h_strides_{operands.network().hidden(), 1} {
  activation_ = openBundle(activation);
  requireDone(algrt_bundle_prepare(activation_.get(), device.ordinal()));
  size_t bytes = 0;
  requireDone(algrt_program_workspace_size(activation_.get(), "forward", operands.m(), 0, &bytes));
  if (bytes > 0)
    workspace_ = std::make_unique<GpuMemory>(device, bytes, "the activation's workspace");
  const auto tensor = [&](const GpuMemory &of, int64_t first_column, int64_t *strides) {
    return DLTensor{static_cast<char *>(of.pointer()) + 2 * first_column,
                    {kDLCUDA, device.ordinal()},
                    2,
                    {kDLBfloat, 16, 1},
                    shape_,
                    strides,
                    0};
  };
  const Network &network = operands.network();
  gate_ = tensor(sums_, 0, sums_strides_);
  up_ = tensor(sums_, operands.mergedWidth() - network.hidden(), sums_strides_);
  h_tensor_ = tensor(h_, 0, h_strides_);

  // The best candidate for the first expert that has rows, of as many of them; others have one row more or
  // less.
  std::string merged_name, down_name;
  const auto add = [&](const GpuDenseOperands &product, std::vector<std::unique_ptr<GpuDenseProduct>> &to,
                       std::string &name) {
    if (!exists_)
      return;
    if (to.empty()) {
      BestGpuDense best = baselines.fastest(product);
      name = best.product ? best.product->name() : "";
      to.push_back(std::move(best.product));
    } else {
      to.push_back(baselines.likeThat(*to.front(), product));
    }
    exists_ = to.back() != nullptr;
  };
  for (int64_t expert = 0; expert < operands.networks(); ++expert) {
    const int64_t rows = operands.rowsOf(expert), first = operands.first(expert);
    if (rows == 0)
      continue;
    const auto at = [&](uint64_t address, int64_t columns) {
      return address + uint64_t(2 * first * columns);
    };
    const int64_t width = operands.mergedWidth(), hidden = network.hidden();
    add({rows, network.k(), width, ElementType::Bf16, at(operands.x(), network.k()), operands.merged(expert),
         at(sums_.address(), width)},
        merged_, merged_name);
    add({rows, hidden, network.out(), ElementType::Bf16, at(h_.address(), hidden), operands.down(expert),
         at(y_.address(), network.out())},
        down_, down_name);
  }
  found_ = exists_ ? merged_name + "; " + down_name
                   : baselines.denseLibrary() + ": no candidate for the products of the network";
}

int64_t GpuDenseNetwork::macs() const {
  const Network &network = operands_.network();
  return operands_.m() * (network.k() * operands_.mergedWidth() + network.hidden() * network.out());
}

void GpuDenseNetwork::activate(void *stream) {
  std::vector<algrt_named_tensor> tensors = {{"up", &up_, nullptr}, {"h", &h_tensor_, nullptr}};
  if (operands_.network().gate)
    tensors.push_back({"gate", &gate_, nullptr});
  algrt_run_options options = algrt_run_options_init();
  options.stream = stream;
  options.workspace = workspace_ ? workspace_->pointer() : nullptr;
  options.workspace_bytes = workspace_ ? workspace_->bytes() : 0;
  requireDone(algrt_run(activation_.get(), "forward", tensors.data(), int64_t(tensors.size()), &options));
}

GpuCall GpuDenseNetwork::call() {
  return [this](void *stream) {
    for (const std::unique_ptr<GpuDenseProduct> &product : merged_)
      product->enqueue(stream);
    activate(stream);
    for (const std::unique_ptr<GpuDenseProduct> &product : down_)
      product->enqueue(stream);
  };
}

std::vector<uint16_t> GpuDenseNetwork::result() const {
  std::vector<uint16_t> values(y_.bytes() / 2);
  y_.download(values.data(), y_.bytes());
  return values;
}

} // namespace algrt
