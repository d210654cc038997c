#include "runtime/bench/gpu/network_operands.h"

#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/network_reference.h"
#include "runtime/reference/random.h"
#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"
#include "runtime/support/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

namespace algrt {

namespace {

constexpr DLDataType bf16{kDLBfloat, 16, 1}, i32{kDLInt, 32, 1};
// Rows of which the definition is evaluated, where there are so many.
constexpr int64_t sampled = 128;

} // namespace

GpuNetworkOperands::Tensor::Tensor(const GpuDevice &device, const std::vector<int64_t> &given,
                                   DLDataType type, const char *name)
    : shape(given), memory(device, arrayBytes(given, type.bits / 8, name), name),
      tensor{memory.pointer(),
             {kDLCUDA, device.ordinal()},
             int32_t(shape.size()),
             type,
             shape.data(),
             nullptr,
             0} {}

void GpuNetworkOperands::Tensor::fillRandom(double deviation, uint64_t seed) {
  host = AlignedBuffer(memory.bytes());
  fillRandomBfloat16({reinterpret_cast<uint16_t *>(host.data()), host.size() / 2}, deviation, seed);
  memory.upload(host.data());
}

GpuNetworkOperands::GpuNetworkOperands(const GpuDevice &device, const Network &network, const Sizes &sizes,
                                       uint64_t seed)
    : device_(device), network_(network), sizes_(sizes) {
  if (network.up.dtype != ElementType::Bf16)
    throw Error(ALGRT_UNSUPPORTED, "networks are measured in bf16, this one is in f32");
  if (sizes.m > std::numeric_limits<int32_t>::max())
    throw Error(ALGRT_OUT_OF_MEMORY, "networks are measured for fewer than 2^31 rows");
  const int64_t networks = std::max<int64_t>(1, sizes.experts);
  for (int64_t expert = 0; expert <= networks; ++expert)
    starts_.push_back(int32_t(expert * sizes.m / networks));

  const auto weights = [&](int64_t rows, int64_t columns) {
    return sizes.experts > 0 ? std::vector<int64_t>{networks, rows, columns}
                             : std::vector<int64_t>{rows, columns};
  };
  const int64_t k = network.k(), hidden = network.hidden(), out = network.out();
  x_ = std::make_unique<Tensor>(device, std::vector<int64_t>{sizes.m, k}, bf16, "x");
  if (network.gate)
    gate_ = std::make_unique<Tensor>(device, weights(k, hidden), bf16, "gate");
  up_ = std::make_unique<Tensor>(device, weights(k, hidden), bf16, "up");
  down_ = std::make_unique<Tensor>(device, weights(hidden, out), bf16, "down");
  y_ = std::make_unique<Tensor>(device, std::vector<int64_t>{sizes.m, out}, bf16, "y");
  // Behind all of the device's memory: where there is no room, no time is lost on random numbers.
  size_t bytes = 0;
  for (const Tensor *tensor : {x_.get(), gate_.get(), up_.get(), down_.get(), y_.get()})
    bytes += tensor != nullptr ? tensor->memory.bytes() : 0;
  requireMemory(bytes, "the tensors of the network on the host");
  x_->fillRandom(1, seed);
  if (gate_)
    gate_->fillRandom(1 / std::sqrt(double(k)), seed + 1);
  up_->fillRandom(1 / std::sqrt(double(k)), seed + 2);
  down_->fillRandom(1 / std::sqrt(double(hidden)), seed + 3);
  if (sizes.experts > 0) {
    starts_tensor_ = std::make_unique<Tensor>(device, std::vector<int64_t>{networks + 1}, i32, "the starts");
    starts_tensor_->memory.upload(starts_.data());
  }

  for (int64_t expert = 0; expert < networks; ++expert) {
    auto &of_expert = parts_.emplace_back();
    of_expert.push_back(part(*x_, first(expert), rowsOf(expert), /*joins=*/true));
    if (gate_)
      of_expert.push_back(part(*gate_, expert, 1, false));
    of_expert.push_back(part(*up_, expert, 1, false));
    of_expert.push_back(part(*down_, expert, 1, false));
    of_expert.push_back(part(*y_, first(expert), rowsOf(expert), true));
  }
  sampleRows(seed);
}

// Of rows, `count` of them; of weights, those of one expert.
std::unique_ptr<GpuNetworkOperands::Part> GpuNetworkOperands::part(const Tensor &of, int64_t first,
                                                                   int64_t count, bool joins) const {
  auto made = std::make_unique<Part>();
  const int64_t columns = of.shape.back(), rows = of.shape[of.shape.size() - 2];
  made->shape = {joins ? count : rows, columns};
  made->tensor = of.tensor;
  made->tensor.ndim = 2;
  made->tensor.shape = made->shape.data();
  made->tensor.data = static_cast<char *>(of.memory.pointer()) + 2 * first * columns * (joins ? 1 : rows);
  return made;
}

std::vector<algrt_named_tensor> GpuNetworkOperands::tensors() const {
  std::vector<algrt_named_tensor> named = {{"x", &x_->tensor, nullptr},
                                           {"up", &up_->tensor, nullptr},
                                           {"down", &down_->tensor, nullptr},
                                           {"y", &y_->tensor, nullptr}};
  if (gate_)
    named.push_back({"gate", &gate_->tensor, nullptr});
  return named;
}

std::vector<algrt_named_tensor> GpuNetworkOperands::tensorsOf(int64_t expert) const {
  std::vector<algrt_named_tensor> named;
  const auto &parts = parts_[size_t(expert)];
  const std::vector<const char *> names = gate_ ? std::vector<const char *>{"x", "gate", "up", "down", "y"}
                                                : std::vector<const char *>{"x", "up", "down", "y"};
  for (size_t i = 0; i < names.size(); ++i)
    named.push_back({names[i], &parts[i]->tensor, nullptr});
  return named;
}

uint64_t GpuNetworkOperands::down(int64_t expert) const {
  return down_->memory.address() + uint64_t(2 * expert * network_.hidden() * network_.out());
}

uint64_t GpuNetworkOperands::merged(int64_t expert) {
  const int64_t k = network_.k(), hidden = network_.hidden();
  if (!network_.gate)
    return up_->memory.address() + uint64_t(2 * expert * k * hidden);
  const size_t bytes = size_t(2 * k * mergedWidth());
  if (!merged_) {
    merged_ = std::make_unique<GpuMemory>(device_, gate_->memory.bytes() + up_->memory.bytes(),
                                          "gate and up of the dense network");
    requireMemory(merged_->bytes(), "gate and up of the dense network on the host");
    AlignedBuffer host(merged_->bytes());
    for (int64_t row = 0; row < networks() * k; ++row) {
      std::byte *to = host.data() + 4 * row * hidden;
      std::memcpy(to, gate_->host.data() + 2 * row * hidden, size_t(2 * hidden));
      std::memcpy(to + 2 * hidden, up_->host.data() + 2 * row * hidden, size_t(2 * hidden));
    }
    merged_->upload(host.data());
  }
  return merged_->address() + uint64_t(expert) * bytes;
}

std::vector<uint16_t> GpuNetworkOperands::result() const {
  std::vector<uint16_t> values(y_->memory.bytes() / 2);
  y_->memory.download(values.data(), y_->memory.bytes());
  return values;
}

void GpuNetworkOperands::sampleRows(uint64_t seed) {
  std::set<int64_t> rows = {0, sizes_.m - 1};
  std::mt19937_64 random(seed);
  const std::vector<int64_t> types = rowTypes(network_.up, sizes_.m, 0, nullptr);
  std::vector<std::vector<int64_t>> of_type(size_t(network_.up.types));
  for (int64_t row = 0; row < sizes_.m; ++row)
    of_type[size_t(types[size_t(row)])].push_back(row);
  for (const std::vector<int64_t> &known : of_type)
    if (!known.empty() && int64_t(rows.size()) < sampled)
      rows.insert(known[random() % known.size()]);
  for (int64_t expert = 0; expert < networks() && int64_t(rows.size()) < sampled; ++expert)
    if (rowsOf(expert) > 0)
      rows.insert(first(expert) + int64_t(random() % uint64_t(rowsOf(expert))));
  while (int64_t(rows.size()) < std::min(sampled, sizes_.m))
    rows.insert(int64_t(random() % uint64_t(sizes_.m)));
  sampled_rows_.assign(rows.begin(), rows.end());
}

std::vector<double> GpuNetworkOperands::expected(std::span<const int64_t> wanted, Activation activation,
                                                 bool dense, int threads) const {
  const Network &n = network_;
  // Without the algebra there is one group, one type, one term: Q(1).
  const auto whole = [](Layer layer) {
    layer.in_groups = layer.weight_rows = {layer.k};
    layer.out_groups = {layer.n};
    layer.types = 1;
    layer.row_types = RowTypesKind::Cyclic;
    layer.row_type_width = 1;
    return layer;
  };
  const Layer dense_up = whole(n.up), dense_down = whole(n.down);
  const Support one_term = Support::complete(1);
  std::vector<double> all;
  for (int64_t expert = 0; expert < networks(); ++expert) {
    std::vector<int64_t> rows;
    for (const int64_t row : wanted)
      if (row >= first(expert) && row < first(expert + 1))
        rows.push_back(row);
    if (rows.empty())
      continue;
    const int64_t up_size = n.k() * n.hidden(), down_size = n.hidden() * n.out();
    const NetworkProblem problem = {dense ? &dense_up : &n.up,
                                    dense ? &dense_down : &n.down,
                                    dense ? &one_term : n.up_support,
                                    dense ? &one_term : n.down_support,
                                    activation,
                                    sizes_.m,
                                    x_->numbers(),
                                    gate_ ? gate_->numbers() + expert * up_size : nullptr,
                                    up_->numbers() + expert * up_size,
                                    down_->numbers() + expert * down_size};
    const std::vector<double> values = referenceNetwork(problem, rows, threads);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

} // namespace algrt
