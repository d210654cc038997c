// The parameters of a recorded launch, taken apart as the kernel's list says, and no other way.
#pragma once

#include "compiler/simulator/model/tensor_map.h"
#include "runtime/bundle/manifest.h"
#include "runtime/cuda/launch_parameters.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace device_test {

// Copies of the bytes, at addresses that suit their types: what a launch passes to the kernel.
class LaunchParameters {
public:
  // Of a kernel of that name with that code. Throws std::runtime_error where the parameters are not as many,
  // or not as large, as those of its list.
  LaunchParameters(const algrt::cuda_stand_in::Launch &launch, const std::string &name,
                   const algrt::GpuCode &code);

  // One pointer for each parameter, to its value.
  std::span<void *> values() { return block_.pointers(); }
  // Throws std::runtime_error where the kernel has none.
  template <typename T> T of(algrt::ParameterValue value, std::string_view operand = "") {
    const algrt::KernelParameter *parameter = list_.find(value, operand);
    if (parameter == nullptr || algrt::parameterBytes(parameter->type) != sizeof(T))
      throw std::runtime_error(std::string("no parameter ") + algrt::name(value) + " of that size");
    T result;
    std::memcpy(&result, block_.at(parameter->offset), sizeof(T));
    return result;
  }
  bool has(algrt::ParameterValue value) const { return list_.find(value) != nullptr; }

  // Where they are in the struct that the kernel is given: all where threads copy, else those that threads
  // read or write.
  std::span<const algrt_plain_map> plainMaps();
  // Of the first map of an operand; 0 where there is none.
  uint64_t addressOf(std::string_view operand) const;

private:
  const algrt::KernelParameters list_;
  algrt::cuda::ParameterBlock block_{list_};
  std::map<std::string, uint64_t, std::less<>> addresses_;
};

} // namespace device_test
