// A kernel's map as a stand-in for the kernel reads and writes through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace algrt::test {

// Of either kind. What lies outside reads as zero and is not written.
class HostMap {
public:
  using Coordinates = std::array<int64_t, 4>;

  // A parameter that cuTensorMapEncodeTiled of the stand-in made. Throws std::logic_error for another.
  static HostMap tensor(const std::byte *object);
  // For copies of `vector` elements, 16 bytes at most, that each have to be at a multiple of themselves:
  // throws std::logic_error where they are not. Elements have 2 or 4 bytes.
  static HostMap plain(const std::byte *object, int64_t element_bytes, int64_t vector);

  int64_t extent(size_t dimension) const { return extents_.at(dimension); }
  int64_t box(size_t dimension) const { return box_.at(dimension); } // of a tensor map

  float load(const Coordinates &at) const;
  void store(const Coordinates &at, float value) const;

private:
  HostMap(uint64_t address, int64_t element_bytes) : address_(address), element_bytes_(element_bytes) {}
  std::byte *find(const Coordinates &at) const;

  uint64_t address_;
  int64_t element_bytes_;
  Coordinates extents_, strides_, box_{}; // strides in bytes
};

// A parameter that is one number. Throws std::logic_error where it has another size.
template <typename T> T scalar(const std::vector<std::byte> &parameter) {
  T value;
  if (parameter.size() != sizeof(value))
    throw std::logic_error("a parameter of the wrong size");
  std::memcpy(&value, parameter.data(), sizeof(value));
  return value;
}

} // namespace algrt::test
