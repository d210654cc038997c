// Threads: a number of workers that share a range of tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace algrt {

// A caller's threads: for_each(context, count, run, task) calls run(task, i) for each i below count, on
// whatever threads, and returns when all calls have.
struct ThreadPool {
  void (*for_each)(void *context, int32_t count, void (*run)(void *task, int32_t index), void *task);
  void *context;
  int threads; // that it has, at least 1
};

// Everything runs there from now on; std::nullopt: on threads of the runtime's own. Not while something runs.
void setThreadPool(const std::optional<ThreadPool> &pool);

// Threads that the process may use at once: the pool's, where there is one.
int availableThreads();

// `threads` as a caller asked for it (0 = all), at most availableThreads().
int resolveThreads(int threads);

// Calls body(worker, begin, end) until the ranges have covered [0, tasks). At most `workers` calls run at
// once, and never two with the same worker number. A worker that finds no task left is not called.
void runTasks(int workers, int64_t tasks,
              const std::function<void(int worker, int64_t begin, int64_t end)> &body);

// Calls worker(0) ... worker(workers - 1), as many at once as there are threads, and throws what one of them
// has thrown.
void runWorkers(int workers, const std::function<void(int worker)> &worker);

// The same without a pool: parallel_tbb.cpp where the CPU backend is built, parallel_threads.cpp where there
// is no TBB.
int ownThreads();
void runOnOwnThreads(int workers, const std::function<void(int worker)> &worker);

} // namespace algrt
