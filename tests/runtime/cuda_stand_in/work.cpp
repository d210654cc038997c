#include "tests/runtime/cuda_stand_in/work.h"

#include "tests/runtime/cuda_stand_in/capture.h"

namespace algrt::cuda_stand_in {

Result enqueueWork(const char *symbol, Stream stream, double milliseconds, std::function<void()> run) {
  return entry(symbol, Entry::NeedsContext, [&](State &s) {
    return enqueue(symbol, s, stream, [&s, milliseconds, run = std::move(run)] {
      s.milliseconds += milliseconds;
      run();
    });
  });
}

void advanceClock(double milliseconds) {
  const std::lock_guard lock(stateMutex());
  state().milliseconds += milliseconds;
}

size_t bytesAllocatedAt(unsigned long long address) {
  const std::lock_guard lock(stateMutex());
  const auto found = state().allocations.find(address);
  return found == state().allocations.end() ? 0 : found->second.bytes;
}

bool isDeviceMemory(unsigned long long address, size_t bytes) {
  const std::lock_guard lock(stateMutex());
  return state().deviceOf(address, bytes) >= 0;
}

} // namespace algrt::cuda_stand_in
