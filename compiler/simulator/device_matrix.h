// A matrix in the simulated device's global memory.
#ifndef ALGCTL_COMPILER_SIMULATOR_DEVICE_MATRIX_H
#define ALGCTL_COMPILER_SIMULATOR_DEVICE_MATRIX_H

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
  DeviceMatrix(std::int64_t rows, std::int64_t columns, std::int64_t padding, std::int64_t shift,
               algrt::ElementType element);

  /// What such a matrix takes at most, with what a simulator keeps of it where it is registered; of a padding
  /// that settingsOf makes.
  static std::int64_t bytes(std::int64_t rows, std::int64_t columns, algrt::ElementType element,
                            simulator::Access access);

  /// `values` is rows x columns; bf16 takes the upper half of each float.
  void set(std::span<const float> values);
  std::vector<float> values() const;

  /// Row by row where rows have padding, else as one region.
  /// An `independent` one the kernel may touch before the grid before it has ended.
  void registerWith(simulator::GlobalMemory &memory, const std::string &name, simulator::Access access,
                    bool independent = false) const;
  /// Elements of an output that nothing wrote, or not all of whose bytes.
  std::int64_t unwritten(const simulator::GlobalMemory &memory) const;

  /// Of the first element.
  std::uint64_t address() const;
  std::int64_t leading() const { return columns + padding; }
  /// Elements from a multiple of 256 bytes to the first one.
  std::int64_t shift() const { return shifted; }
  /// Of its elements.
  std::int64_t bytes() const { return rows * columns * element_bytes; }

private:
  const unsigned char *rowStart(std::int64_t row) const;

  std::int64_t rows, columns, padding, shifted, element_bytes;
  std::vector<unsigned char> storage;
  std::size_t first; ///< offset of the first element in storage
};

} // namespace compiler

#endif
