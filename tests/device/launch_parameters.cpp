#include "tests/device/launch_parameters.h"

#include <string>

namespace device_test {
namespace {

using Sizes = std::vector<std::size_t>;
constexpr std::size_t number = sizeof(std::int32_t), address = sizeof(std::uint64_t);

// Behind the maps, or of a kernel that is no product all of them.
Sizes sizesOf(const algrt::Kernel &kernel, const algrt::Layer &layer) {
  if (kernel.group_rows)
    return {address, address, address, sizeof(std::int64_t), number, number, number, number};
  if (kernel.bias_gradient)
    return {address, address, sizeof(std::int64_t), number, number, number, number, sizeof(float)};
  Sizes sizes = {number, number, address}; // rows, offset, terms
  if (kernel.gpu->map == algrt::Map::dw)
    sizes.push_back(sizeof(float));
  if (kernel.gpu->isReduction()) {
    sizes.push_back(address);
    sizes.push_back(number);
  }
  if (kernel.gpu->map == algrt::Map::forward && layer.bias)
    sizes.push_back(address);
  return sizes;
}

simulator::TensorMap encoded(const std::byte *object) {
  const auto content = algrt::cuda_stand_in::decodeTensorMap(object);
  if (!content)
    throw std::runtime_error("a tensor map that was not encoded");
  simulator::TensorMapFields fields;
  fields.base = reinterpret_cast<const void *>(content->address);
  fields.element = content->element_bytes == 4 ? simulator::Element::F32 : simulator::Element::BF16;
  fields.rank = content->rank;
  std::copy(content->extents.begin(), content->extents.end(), fields.extents);
  std::copy(content->strides.begin(), content->strides.end(), fields.strides);
  std::copy(content->box.begin(), content->box.end(), fields.box);
  fields.swizzle = content->swizzle == 128  ? simulator::Swizzle::B128
                   : content->swizzle == 64 ? simulator::Swizzle::B64
                   : content->swizzle == 32 ? simulator::Swizzle::B32
                                            : simulator::Swizzle::None;
  simulator::TensorMap map{};
  if (const std::string refusal = simulator::encodeTensorMap(fields, map); !refusal.empty())
    throw std::runtime_error("a tensor map that the model refuses: " + refusal);
  return map;
}

} // namespace

LaunchParameters::LaunchParameters(const algrt::cuda_stand_in::Launch &launch, const algrt::Kernel &kernel,
                                   const algrt::Layer &layer) {
  const Sizes sizes = sizesOf(kernel, layer);
  const std::size_t maps = kernel.gpu ? 1 : 0;
  if (launch.parameters.size() != sizes.size() + maps)
    throw std::runtime_error(kernel.name + " was given " + std::to_string(launch.parameters.size()) +
                             " parameters, not " + std::to_string(sizes.size() + maps));
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const std::vector<std::byte> &bytes = launch.parameters[i];
    blocks.emplace_back();
    if (i < maps) {
      takeMaps(bytes, kernel, layer);
      continue;
    }
    if (bytes.size() != sizes[i - maps])
      throw std::runtime_error("parameter " + std::to_string(i) + " of " + kernel.name + " has " +
                               std::to_string(bytes.size()) + " bytes, not " +
                               std::to_string(sizes[i - maps]));
    std::memcpy(blocks.back().bytes, bytes.data(), bytes.size());
  }
}

void LaunchParameters::takeMaps(const std::vector<std::byte> &bytes, const algrt::Kernel &kernel,
                                const algrt::Layer &layer) {
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(layer, *kernel.gpu);
  const auto row_maps = static_cast<std::size_t>(shape.rowMaps());
  const std::size_t count = 2 * row_maps + 1;
  // Of dW the map is plain, whoever copies.
  if (kernel.gpu->copies == algrt::GpuCopies::engine)
    tensor_maps = shape.isBankGradient() ? count - 1 : count;
  plain_maps = count - tensor_maps;
  const std::size_t tensor_bytes = tensor_maps * algrt_tensor_map_bytes,
                    plain_bytes = plain_maps * algrt_plain_map_bytes;
  if (bytes.size() != tensor_bytes + plain_bytes)
    throw std::runtime_error("the maps of " + kernel.name + " have " + std::to_string(bytes.size()) +
                             " bytes, not " + std::to_string(tensor_bytes + plain_bytes));
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < tensor_maps; ++i) {
    maps.push_back(encoded(bytes.data() + i * algrt_tensor_map_bytes));
    addresses.push_back(maps.back().base);
  }
  maps.resize(tensor_maps + (plain_bytes + sizeof maps[0] - 1) / sizeof maps[0]);
  std::memcpy(static_cast<void *>(maps.data() + tensor_maps), bytes.data() + tensor_bytes, plain_bytes);
  for (const algrt_plain_map &map : plainMaps())
    addresses.push_back(map.address);
  const std::size_t second_maps = shape.isBankGradient() ? row_maps : 1;
  operand_addresses = {addresses[0], addresses[row_maps], addresses[row_maps + second_maps]};
}

std::vector<void *> LaunchParameters::values() {
  std::vector<void *> result;
  for (Block &block : blocks)
    result.push_back(block.bytes);
  if (!maps.empty())
    result[0] = maps.data();
  return result;
}

std::span<const algrt_plain_map> LaunchParameters::plainMaps() const {
  static_assert(sizeof(simulator::TensorMap) == algrt_tensor_map_bytes);
  return {reinterpret_cast<const algrt_plain_map *>(maps.data() + tensor_maps), plain_maps};
}

} // namespace device_test
