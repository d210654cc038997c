// Threads: a number of workers that share a range of tasks.
#pragma once

#include <cstdint>
#include <functional>

namespace algrt {

// Threads that the process may use at once.
int availableThreads();

// `threads` as a caller asked for it (0 = all), at most availableThreads().
int resolveThreads(int threads);

// Calls body(worker, begin, end) until the ranges have covered [0, tasks). At most `workers` calls run at
// once, and never two with the same worker number. A worker that finds no task left is not called.
void runTasks(int workers, int64_t tasks,
              const std::function<void(int worker, int64_t begin, int64_t end)> &body);

// Calls worker(0) ... worker(workers - 1), as many at once as there are threads. parallel_tbb.cpp where the
// CPU backend is built, parallel_threads.cpp where there is no TBB.
void runWorkers(int workers, const std::function<void(int worker)> &worker);

} // namespace algrt
