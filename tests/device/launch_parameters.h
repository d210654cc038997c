// The parameters of a recorded launch, taken apart as runtime/gpu_kernel_abi.h says, and no other way.
#pragma once

#include "compiler/simulator/model/tensor_map.h"
#include "runtime/bundle/manifest.h"
#include "runtime/cuda/operand_view.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace device_test {

// Copies of the bytes, at addresses that suit their types: what a launch passes to the kernel.
class LaunchParameters {
public:
  // Throws std::runtime_error where the parameters are not as many, or not as large, as those of the kernel.
  LaunchParameters(const algrt::cuda_stand_in::Launch &launch, const algrt::Kernel &kernel,
                   const algrt::Layer &layer);

  // One pointer for each parameter, to its value.
  std::vector<void *> values();
  template <typename T> T at(std::size_t index) const {
    T value;
    std::memcpy(&value, blocks.at(index).data(), sizeof(T));
    return value;
  }

  // Where they are in the struct that the kernel is given: all where threads copy, else of dW alone.
  std::span<const algrt_plain_map> plainMaps() const;
  std::vector<std::uint64_t> operand_addresses; // of the first map of each operand: X, W, Y

private:
  void takeMaps(const std::vector<std::byte> &bytes, const algrt::Kernel &kernel, const algrt::Layer &layer);

  struct alignas(64) Block {
    std::byte bytes[64];
    const std::byte *data() const { return bytes; }
  };
  std::vector<Block> blocks; // of the maps, nothing
  // The struct of maps: those of the copy engine, and behind them plain ones.
  std::vector<simulator::TensorMap> maps;
  std::size_t tensor_maps = 0, plain_maps = 0;
};

} // namespace device_test
