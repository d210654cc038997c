// What the machine can do, measured: the rates that floors are made of.
#pragma once

#include "runtime/support/aligned_buffer.h"

#include <cstdint>
#include <string>

namespace algrt {

std::string cpuName();
// Bytes of the last-level cache; 0 if the system does not say.
int64_t lastLevelCacheBytes();
// Copying a buffer far larger than any cache on that many threads: bytes read plus bytes written per second,
// best of several runs.
double copyBytesPerSecond(int threads);

// A quarter more than the last-level cache, at least 64 MiB.
int64_t defaultFlushBytes();

// Memory whose reading pushes everything else out of the caches.
class CacheFlush {
public:
  explicit CacheFlush(int64_t bytes);
  void operator()();

private:
  AlignedBuffer buffer_;
  uint64_t rounds_ = 0;
};

} // namespace algrt
