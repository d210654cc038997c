#include "runtime/support/parallel.h"

#include <algorithm>
#include <atomic>

namespace algrt {

int resolveThreads(int threads) {
  const int available = availableThreads();
  return threads == 0 ? available : std::min(threads, available);
}

void runTasks(int workers, int64_t tasks,
              const std::function<void(int worker, int64_t begin, int64_t end)> &body) {
  if (tasks <= 0)
    return;
  workers = int(std::min<int64_t>(workers, tasks));
  if (workers <= 1) {
    body(0, 0, tasks);
    return;
  }
  // Small enough that the slowest worker's last range is little, large enough that the counter costs nothing.
  const int64_t chunk = std::max<int64_t>(1, tasks / (16 * int64_t(workers)));
  std::atomic<int64_t> next = 0;
  runWorkers(workers, [&](int worker) {
    for (int64_t begin = next.fetch_add(chunk); begin < tasks; begin = next.fetch_add(chunk))
      body(worker, begin, std::min(begin + chunk, tasks));
  });
}

} // namespace algrt
