#include "runtime/support/aligned_buffer.h"

#include <new>
#include <sys/mman.h>
#include <utility>

namespace algrt {

namespace {

constexpr size_t huge_page = size_t(2) << 20;

std::align_val_t alignmentFor(size_t bytes) { return std::align_val_t(bytes >= huge_page ? huge_page : 64); }

} // namespace

AlignedBuffer::AlignedBuffer(size_t bytes)
    : data_(static_cast<std::byte *>(::operator new(bytes, alignmentFor(bytes)))), size_(bytes) {
  // A hint: kernels stream through weight matrices of many megabytes, and would otherwise miss the TLB on
  // every panel.
  if (bytes >= huge_page)
    (void)::madvise(data_, bytes / huge_page * huge_page, MADV_HUGEPAGE);
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ != nullptr)
    ::operator delete(data_, alignmentFor(size_));
}

AlignedBuffer::AlignedBuffer(AlignedBuffer &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

AlignedBuffer &AlignedBuffer::operator=(AlignedBuffer &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

} // namespace algrt
