#include "compiler/simulator/device_matrix.h"

#include "runtime/support/checked.h"

#include <cstring>

namespace compiler {
namespace {

constexpr std::size_t kAlignment = 256, kGuard = 4096;

std::size_t storageBytes(std::int64_t rows, std::int64_t leading, std::int64_t element_bytes) {
  using algrt::checkedMultiply;
  return static_cast<std::size_t>(checkedMultiply(checkedMultiply(rows, leading, "the elements of a matrix"),
                                                  element_bytes, "the bytes of a matrix"));
}

} // namespace

std::int64_t DeviceMatrix::bytes(std::int64_t rows, std::int64_t columns, algrt::ElementType element,
                                 simulator::Access access) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  const std::int64_t size = algrt::elementBytes(element);
  // Of each element, and where it may be written of its writer; of each row also its padding, and what the
  // simulator knows of it, twice while there are two lists.
  const std::int64_t element_bytes =
      access == simulator::Access::Read ? size : size * (1 + std::int64_t{sizeof(std::uint32_t)});
  const std::int64_t row_bytes = 2 * static_cast<std::int64_t>(sizeof(simulator::GlobalRegion)) + 64;
  const std::int64_t row = checkedAdd(checkedMultiply(columns, element_bytes, "the bytes of a row"),
                                      row_bytes, "the bytes of a row");
  return checkedAdd(checkedMultiply(rows, row, "the bytes of a matrix"),
                    static_cast<std::int64_t>(2 * kGuard + kAlignment), "the bytes of a matrix");
}

DeviceMatrix::DeviceMatrix(std::int64_t rows, std::int64_t columns, std::int64_t padding, std::int64_t shift,
                           algrt::ElementType element)
    : rows(rows), columns(columns), padding(padding), shifted(shift),
      element_bytes(algrt::elementBytes(element)),
      // All ones are a NaN in bf16 and in f32.
      storage(storageBytes(rows, columns + padding, element_bytes) + 2 * kGuard + kAlignment +
                  static_cast<std::size_t>(shift * element_bytes),
              0xff) {
  const std::size_t start = reinterpret_cast<std::uintptr_t>(storage.data()) + kGuard;
  first = kGuard + (kAlignment - start % kAlignment) % kAlignment +
          static_cast<std::size_t>(shift * element_bytes);
}

const unsigned char *DeviceMatrix::rowStart(std::int64_t row) const {
  return storage.data() + first + static_cast<std::size_t>(row * leading() * element_bytes);
}

void DeviceMatrix::set(std::span<const float> values) {
  for (std::int64_t row = 0; row < rows; ++row) {
    unsigned char *target = const_cast<unsigned char *>(rowStart(row));
    for (std::int64_t column = 0; column < columns; ++column) {
      const float value = values[static_cast<std::size_t>(row * columns + column)];
      unsigned char bytes[4];
      std::memcpy(bytes, &value, 4);
      std::memcpy(target + column * element_bytes, bytes + (4 - element_bytes),
                  static_cast<std::size_t>(element_bytes));
    }
  }
}

std::vector<float> DeviceMatrix::values() const {
  std::vector<float> result(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      unsigned char bytes[4] = {};
      std::memcpy(bytes + (4 - element_bytes), rowStart(row) + column * element_bytes,
                  static_cast<std::size_t>(element_bytes));
      std::memcpy(&result[static_cast<std::size_t>(row * columns + column)], bytes, 4);
    }
  return result;
}

void DeviceMatrix::registerWith(simulator::GlobalMemory &memory, const std::string &name,
                                simulator::Access access, bool independent) const {
  const std::int64_t row_bytes = columns * element_bytes;
  if (padding == 0)
    return memory.registerGlobal(name, rowStart(0), rows * row_bytes, access, independent);
  memory.registerRows(name, rowStart(0), rows, row_bytes, leading() * element_bytes, access, independent);
}

std::int64_t DeviceMatrix::unwritten(const simulator::GlobalMemory &memory) const {
  std::int64_t bytes = 0;
  for (std::int64_t row = 0; row < (padding == 0 ? 1 : rows); ++row)
    bytes += memory.neverWrittenAt(rowStart(row));
  return (bytes + element_bytes - 1) / element_bytes;
}

std::uint64_t DeviceMatrix::address() const { return reinterpret_cast<std::uintptr_t>(rowStart(0)); }

} // namespace compiler
