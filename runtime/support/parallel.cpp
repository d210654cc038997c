#include "runtime/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace algrt {

namespace {

std::mutex pool_mutex;
std::optional<ThreadPool> current_pool;

std::optional<ThreadPool> threadPool() {
  const std::lock_guard lock(pool_mutex);
  return current_pool;
}

// What one call of the pool does. Nothing may be thrown through the pool, which may be C.
struct PoolTask {
  const std::function<void(int)> &worker;
  std::mutex mutex;
  std::exception_ptr failure;

  static void run(void *task, int32_t index) noexcept {
    auto &self = *static_cast<PoolTask *>(task);
    try {
      self.worker(index);
    } catch (...) { // carried to the caller's thread
      const std::lock_guard lock(self.mutex);
      self.failure = std::current_exception();
    }
  }
};

} // namespace

void setThreadPool(const std::optional<ThreadPool> &pool) {
  const std::lock_guard lock(pool_mutex);
  current_pool = pool;
}

int availableThreads() {
  const std::optional<ThreadPool> pool = threadPool();
  return pool ? pool->threads : ownThreads();
}

void runWorkers(int workers, const std::function<void(int worker)> &worker) {
  const std::optional<ThreadPool> pool = threadPool();
  if (!pool)
    return runOnOwnThreads(workers, worker);
  PoolTask task{worker, {}, {}};
  pool->for_each(pool->context, workers, &PoolTask::run, &task);
  if (task.failure)
    std::rethrow_exception(task.failure);
}

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
