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
  const bool tensor = kernel.gpu->copies == algrt::GpuCopies::engine;
  const std::size_t size = tensor ? algrt_tensor_map_bytes : algrt_plain_map_bytes;
  if (bytes.size() != count * size)
    throw std::runtime_error("the maps of " + kernel.name + " have " + std::to_string(bytes.size()) +
                             " bytes, not " + std::to_string(count * size));
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < count; ++i) {
    if (tensor) {
      tensor_maps.push_back(encoded(bytes.data() + i * size));
      addresses.push_back(tensor_maps.back().base);
    } else {
      plain_maps.emplace_back();
      std::memcpy(&plain_maps.back(), bytes.data() + i * size, size);
      addresses.push_back(plain_maps.back().address);
    }
  }
  const std::size_t second_maps = shape.isBankGradient() ? row_maps : 1;
  operand_addresses = {addresses[0], addresses[row_maps], addresses[row_maps + second_maps]};
}

std::vector<void *> LaunchParameters::values() {
  std::vector<void *> result;
  for (Block &block : blocks)
    result.push_back(block.bytes);
  if (!tensor_maps.empty())
    result[0] = tensor_maps.data();
  if (!plain_maps.empty())
    result[0] = plain_maps.data();
  return result;
}

} // namespace device_test
