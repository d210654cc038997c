// A matrix in the simulated device's global memory.
#pragma once

#include "compiler/simulator/model/global_memory.h"
#include "runtime/bundle/layer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace compiler {

/// Row-major, its rows padded, with guard space before and after. Every byte that is not an element belongs
/// to a NaN, and no kernel may touch it: only the elements are registered with the simulator.
class DeviceMatrix {
public:
  /// All elements are NaN at first. Rows lie `columns + padding` elements apart; the first one begins `shift`
  /// elements behind a multiple of 256 bytes, where memory of a device begins.
  DeviceMatrix(int64_t rows, int64_t columns, int64_t padding, int64_t shift, algrt::ElementType element);

  /// What such a matrix takes at most, with what a simulator keeps of it where it is registered; of a padding
  /// that settingsOf makes.
  static int64_t bytes(int64_t rows, int64_t columns, algrt::ElementType element, simulator::Access access);

  /// `values` is rows x columns; bf16 takes the upper half of each float.
  void set(std::span<const float> values);
  std::vector<float> values() const;

  /// Row by row where rows have padding, else as one region.
  /// An `independent` one the kernel may touch before the grid before it has ended.
  void registerWith(simulator::GlobalMemory &memory, const std::string &name, simulator::Access access,
                    bool independent = false) const;
  /// Elements of an output that nothing wrote, or not all of whose bytes.
  int64_t unwritten(const simulator::GlobalMemory &memory) const;

  /// Of the first element.
  uint64_t address() const;
  int64_t leading() const { return columns_ + padding_; }
  /// Elements from a multiple of 256 bytes to the first one.
  int64_t shift() const { return shifted_; }
  /// Of its elements.
  int64_t bytes() const { return rows_ * columns_ * element_bytes_; }

private:
  const unsigned char *rowStart(int64_t row) const;

  int64_t rows_, columns_, padding_, shifted_, element_bytes_;
  std::vector<unsigned char> storage_;
  size_t first_; ///< offset of the first element in storage
};

} // namespace compiler
