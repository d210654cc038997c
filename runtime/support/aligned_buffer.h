// Memory at a multiple of 64 bytes; large buffers on huge pages where the system has them.
#pragma once

#include <cstddef>

namespace algrt {

class AlignedBuffer {
public:
  AlignedBuffer() = default;
  // Contents are not set. Throws std::bad_alloc.
  explicit AlignedBuffer(size_t bytes);
  ~AlignedBuffer();
  AlignedBuffer(AlignedBuffer &&other) noexcept;
  AlignedBuffer &operator=(AlignedBuffer &&other) noexcept;

  std::byte *data() const { return data_; }
  size_t size() const { return size_; }

private:
  std::byte *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace algrt
