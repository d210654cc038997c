// Memory of a device: host memory, filled with what nobody should rely on.
#include "tests/runtime/cuda_stand_in/capture.h"

#include <cstdlib>
#include <cstring>

namespace algrt::cuda {

using namespace cuda_stand_in;

namespace {

constexpr size_t alignment = 256;
constexpr double bytes_per_millisecond = 4e9;

void *at(DevicePointer address) { return reinterpret_cast<void *>(address); }

Result requireMemory(const char *symbol, const State &s, DevicePointer address, size_t bytes) {
  return bytes == 0 || s.deviceOf(address, bytes) >= 0
             ? Result::Success
             : violation(symbol, Result::InvalidValue, "the range is not within one live allocation");
}

// Work in `stream` that touches bytes of the device; the synchronous calls use the legacy default stream.
Result touch(const char *symbol, State &s, Stream stream, size_t bytes, std::function<void()> run) {
  return enqueue(symbol, s, stream, [&s, bytes, run = std::move(run)] {
    s.milliseconds += double(bytes) / bytes_per_millisecond;
    run();
  });
}

Result copy(const char *symbol, bool asynchronous, Stream stream, DevicePointer device_to, void *to,
            DevicePointer device_from, const void *from, size_t bytes) {
  return entry(symbol, Entry::NeedsContext, [&](State &s) {
    if (!asynchronous)
      if (const Result result = requireNoCapture(symbol, s); result != Result::Success)
        return result;
    for (DevicePointer address : {device_to, device_from})
      if (address != 0)
        if (const Result result = requireMemory(symbol, s, address, bytes); result != Result::Success)
          return result;
    if (to == nullptr || from == nullptr)
      return violation(symbol, Result::InvalidValue, "a null pointer");
    return touch(symbol, s, stream, bytes, [=] { std::memmove(to, from, bytes); });
  });
}

template <typename Value>
Result fill(const char *symbol, bool asynchronous, Stream stream, DevicePointer to, Value value,
            size_t count) {
  return entry(symbol, Entry::NeedsContext, [&](State &s) {
    if (!asynchronous)
      if (const Result result = requireNoCapture(symbol, s); result != Result::Success)
        return result;
    if (to % sizeof(Value) != 0)
      return violation(symbol, Result::InvalidValue, "the address is not a multiple of the value's size");
    if (const Result result = requireMemory(symbol, s, to, count * sizeof(Value)); result != Result::Success)
      return result;
    return touch(symbol, s, stream, count * sizeof(Value),
                 [=] { std::fill_n(static_cast<Value *>(at(to)), count, value); });
  });
}

} // namespace

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return entry("cuMemGetInfo_v2", Entry::NeedsContext, [&](State &s) {
    const int device = currentContext()->device;
    *total = s.devices[size_t(device)].memory;
    *free = *total - s.allocated(device);
    return Result::Success;
  });
}

Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  return entry("cuMemAlloc_v2", Entry::NeedsContext, [&](State &s) {
    if (const Result result = requireNoCapture("cuMemAlloc_v2", s); result != Result::Success)
      return result;
    if (bytes == 0)
      return violation("cuMemAlloc_v2", Result::InvalidValue, "0 bytes");
    const int device = currentContext()->device;
    if (bytes > s.devices[size_t(device)].memory - s.allocated(device))
      return Result::OutOfMemory;
    void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr)
      return Result::OutOfMemory;
    std::memset(memory, 0xa5, bytes);
    *address = reinterpret_cast<DevicePointer>(memory);
    s.allocations.emplace(*address,
                          Allocation{currentContext(), bytes, {static_cast<std::byte *>(memory), std::free}});
    return Result::Success;
  });
}

Result cuMemFree_v2(DevicePointer address) {
  return entry("cuMemFree_v2", Entry::Releases, [&](State &s) {
    const auto found = s.allocations.find(address);
    if (found == s.allocations.end())
      return violation("cuMemFree_v2", Result::InvalidValue, "no such allocation");
    if (found->second.context != currentContext())
      return violation("cuMemFree_v2", Result::InvalidContext, "another context is current");
    if (const Result result = requireNoCapture("cuMemFree_v2", s); result != Result::Success)
      return result;
    s.finishCopies();
    s.allocations.erase(found);
    return Result::Success;
  });
}

// From pageable memory the call returns when it has read the bytes, before they are all on the device:
// streams that do not wait for the legacy default one may still see what was there (CUDA driver API, "API
// synchronization behavior").
Result cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  const char *const me = "cuMemcpyHtoD_v2";
  return entry(me, Entry::NeedsContext, [&](State &s) {
    if (const Result result = requireNoCapture(me, s); result != Result::Success)
      return result;
    if (const Result result = requireMemory(me, s, to, bytes); result != Result::Success)
      return result;
    if (from == nullptr)
      return violation(me, Result::InvalidValue, "a null pointer");
    const std::vector<std::byte> read(static_cast<const std::byte *>(from),
                                      static_cast<const std::byte *>(from) + bytes);
    return touch(me, s, nullptr, bytes, [&s, to, read] {
      s.underway.push_back([to, read] { std::memcpy(at(to), read.data(), read.size()); });
    });
  });
}

Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  return copy("cuMemcpyDtoH_v2", false, nullptr, 0, to, from, at(from), bytes);
}

Result cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes) {
  return copy("cuMemcpyDtoD_v2", false, nullptr, to, at(to), from, at(from), bytes);
}

Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t bytes, Stream stream) {
  return copy("cuMemcpyHtoDAsync_v2", true, stream, to, at(to), 0, from, bytes);
}

Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes, Stream stream) {
  return copy("cuMemcpyDtoHAsync_v2", true, stream, 0, to, from, at(from), bytes);
}

Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes, Stream stream) {
  return copy("cuMemcpyDtoDAsync_v2", true, stream, to, at(to), from, at(from), bytes);
}

Result cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t count) {
  return fill("cuMemsetD8_v2", false, nullptr, to, value, count);
}

Result cuMemsetD16_v2(DevicePointer to, unsigned short value, size_t count) {
  return fill("cuMemsetD16_v2", false, nullptr, to, value, count);
}

Result cuMemsetD32_v2(DevicePointer to, unsigned int value, size_t count) {
  return fill("cuMemsetD32_v2", false, nullptr, to, value, count);
}

Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count, Stream stream) {
  return fill("cuMemsetD8Async", true, stream, to, value, count);
}

Result cuMemsetD16Async(DevicePointer to, unsigned short value, size_t count, Stream stream) {
  return fill("cuMemsetD16Async", true, stream, to, value, count);
}

Result cuMemsetD32Async(DevicePointer to, unsigned int value, size_t count, Stream stream) {
  return fill("cuMemsetD32Async", true, stream, to, value, count);
}

Result cuCtxSynchronize() {
  return entry("cuCtxSynchronize", Entry::NeedsContext, [&](State &s) {
    const Result result = requireNoCapture("cuCtxSynchronize", s);
    if (result == Result::Success)
      s.finishCopies();
    return result;
  });
}

} // namespace algrt::cuda
