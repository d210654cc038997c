#include "tests/device/launch_parameters.h"

#include <string>

namespace device_test {
namespace {

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

LaunchParameters::LaunchParameters(const algrt::cuda_stand_in::Launch &launch, const std::string &name,
                                   const algrt::GpuCode &code)
    : list_(code.parameters) {
  // Of the kernel's parameters all maps are one, the first.
  std::vector<int64_t> offsets, sizes;
  for (const algrt::KernelParameter &parameter : list_) {
    if (parameter.isMap() && !offsets.empty()) {
      sizes.back() = parameter.end();
      continue;
    }
    offsets.push_back(parameter.offset);
    sizes.push_back(algrt::parameterBytes(parameter.type));
  }
  if (launch.parameters.size() != sizes.size())
    throw std::runtime_error(name + " was given " + std::to_string(launch.parameters.size()) +
                             " parameters, not " + std::to_string(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::vector<std::byte> &bytes = launch.parameters[i];
    if (bytes.size() != static_cast<size_t>(sizes[i]))
      throw std::runtime_error("parameter " + std::to_string(i) + " of " + name + " has " +
                               std::to_string(bytes.size()) + " bytes, not " + std::to_string(sizes[i]));
    std::memcpy(block_.at(offsets[i]), bytes.data(), bytes.size());
  }
  for (const algrt::KernelParameter &parameter : list_) {
    uint64_t address = 0;
    if (parameter.type == algrt::ParameterType::TensorMap) {
      const simulator::TensorMap map = encoded(block_.at(parameter.offset));
      std::memcpy(block_.at(parameter.offset), &map, sizeof(map));
      address = map.base;
    } else if (parameter.type == algrt::ParameterType::PlainMap) {
      std::memcpy(&address, block_.at(parameter.offset), sizeof(address)); // the first field
    } else {
      continue;
    }
    addresses_.emplace(parameter.operand, address);
  }
}

std::span<const algrt_plain_map> LaunchParameters::plainMaps() {
  static_assert(sizeof(simulator::TensorMap) == algrt_tensor_map_bytes);
  const std::span<const std::byte> bytes = block_.plainMaps();
  return {reinterpret_cast<const algrt_plain_map *>(bytes.data()), bytes.size() / sizeof(algrt_plain_map)};
}

uint64_t LaunchParameters::addressOf(std::string_view operand) const {
  const auto found = addresses_.find(operand);
  return found == addresses_.end() ? 0 : found->second;
}

} // namespace device_test
