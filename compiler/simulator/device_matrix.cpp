#include "compiler/simulator/device_matrix.h"

#include "runtime/support/checked.h"

#include <cstring>

namespace compiler {
namespace {

constexpr size_t alignment = 256, guard = 4096;

size_t storageBytes(int64_t rows, int64_t leading, int64_t element_bytes) {
  using algrt::checkedMultiply;
  return static_cast<size_t>(checkedMultiply(checkedMultiply(rows, leading, "the elements of a matrix"),
                                             element_bytes, "the bytes of a matrix"));
}

} // namespace

int64_t DeviceMatrix::bytes(int64_t rows, int64_t columns, algrt::ElementType element,
                            simulator::Access access) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  const int64_t size = algrt::elementBytes(element);
  // Of each element, and where it may be written of its writer; of each row also its padding, and what the
  // simulator knows of it, twice while there are two lists.
  const int64_t element_bytes =
      access == simulator::Access::Read ? size : size * (1 + int64_t{sizeof(uint32_t)});
  const int64_t row_bytes = 2 * static_cast<int64_t>(sizeof(simulator::GlobalRegion)) + 64;
  const int64_t row = checkedAdd(checkedMultiply(columns, element_bytes, "the bytes of a row"), row_bytes,
                                 "the bytes of a row");
  return checkedAdd(checkedMultiply(rows, row, "the bytes of a matrix"),
                    static_cast<int64_t>(2 * guard + alignment), "the bytes of a matrix");
}

DeviceMatrix::DeviceMatrix(int64_t rows, int64_t columns, int64_t padding, int64_t shift,
                           algrt::ElementType element)
    : rows_(rows), columns_(columns), padding_(padding), shifted_(shift),
      element_bytes_(algrt::elementBytes(element)),
      // All ones are a NaN in bf16 and in f32.
      storage_(storageBytes(rows, columns + padding, element_bytes_) + 2 * guard + alignment +
                   static_cast<size_t>(shift * element_bytes_),
               0xff) {
  const size_t start = reinterpret_cast<uintptr_t>(storage_.data()) + guard;
  first_ = guard + (alignment - start % alignment) % alignment + static_cast<size_t>(shift * element_bytes_);
}

const unsigned char *DeviceMatrix::rowStart(int64_t row) const {
  return storage_.data() + first_ + static_cast<size_t>(row * leading() * element_bytes_);
}

void DeviceMatrix::set(std::span<const float> values) {
  for (int64_t row = 0; row < rows_; ++row) {
    unsigned char *target = const_cast<unsigned char *>(rowStart(row));
    for (int64_t column = 0; column < columns_; ++column) {
      const float value = values[static_cast<size_t>(row * columns_ + column)];
      unsigned char bytes[4];
      std::memcpy(bytes, &value, 4);
      std::memcpy(target + column * element_bytes_, bytes + (4 - element_bytes_),
                  static_cast<size_t>(element_bytes_));
    }
  }
}

std::vector<float> DeviceMatrix::values() const {
  std::vector<float> result(static_cast<size_t>(rows_ * columns_));
  for (int64_t row = 0; row < rows_; ++row)
    for (int64_t column = 0; column < columns_; ++column) {
      unsigned char bytes[4] = {};
      std::memcpy(bytes + (4 - element_bytes_), rowStart(row) + column * element_bytes_,
                  static_cast<size_t>(element_bytes_));
      std::memcpy(&result[static_cast<size_t>(row * columns_ + column)], bytes, 4);
    }
  return result;
}

void DeviceMatrix::registerWith(simulator::GlobalMemory &memory, const std::string &name,
                                simulator::Access access, bool independent) const {
  const int64_t row_bytes = columns_ * element_bytes_;
  if (padding_ == 0)
    return memory.registerGlobal(name, rowStart(0), rows_ * row_bytes, access, independent);
  memory.registerRows(name, rowStart(0), rows_, row_bytes, leading() * element_bytes_, access, independent);
}

int64_t DeviceMatrix::unwritten(const simulator::GlobalMemory &memory) const {
  int64_t bytes = 0;
  for (int64_t row = 0; row < (padding_ == 0 ? 1 : rows_); ++row)
    bytes += memory.neverWrittenAt(rowStart(row));
  return (bytes + element_bytes_ - 1) / element_bytes_;
}

uint64_t DeviceMatrix::address() const { return reinterpret_cast<uintptr_t>(rowStart(0)); }

} // namespace compiler
