#include "runtime/bench/machine.h"

#include "runtime/bench/stopwatch.h"
#include "runtime/support/parallel.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace algrt {

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') != std::string::npos)
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

int64_t lastLevelCacheBytes() {
  const long level3 = ::sysconf(_SC_LEVEL3_CACHE_SIZE), level2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return std::max<int64_t>({0, level3, level2});
}

double copyBytesPerSecond(int threads) {
  // Larger than the cache, within reason: some virtual machines report the cache of the whole socket.
  const int64_t bytes = std::clamp(2 * lastLevelCacheBytes(), int64_t(128) << 20, int64_t(512) << 20);
  const AlignedBuffer from{size_t(bytes)}, to{size_t(bytes)};
  std::memset(from.data(), 1, from.size());
  std::memset(to.data(), 2, to.size());
  constexpr int64_t piece = int64_t(1) << 20;
  double best = 0;
  for (int run = 0; run < 6; ++run) {
    const double time = microsecondsOf([&] {
      runTasks(threads, bytes / piece, [&](int, int64_t begin, int64_t end) {
        std::memcpy(to.data() + begin * piece, from.data() + begin * piece, size_t((end - begin) * piece));
      });
    });
    best = std::max(best, 2 * double(bytes / piece * piece) / (time * 1e-6));
  }
  return best;
}

int64_t defaultFlushBytes() {
  return std::max<int64_t>(int64_t(64) << 20, lastLevelCacheBytes() + lastLevelCacheBytes() / 4);
}

CacheFlush::CacheFlush(int64_t bytes) : buffer_(size_t(bytes)) {
  std::memset(buffer_.data(), 0, buffer_.size());
}

void CacheFlush::operator()() {
  // Every line is read and written: lines that are only read would not displace dirty ones on every machine.
  ++rounds_;
  for (size_t at = 0; at + sizeof(uint64_t) <= buffer_.size(); at += 64) {
    uint64_t value;
    std::memcpy(&value, buffer_.data() + at, sizeof(value));
    value += rounds_;
    std::memcpy(buffer_.data() + at, &value, sizeof(value));
  }
}

} // namespace algrt
