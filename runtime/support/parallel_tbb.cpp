#include "runtime/support/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace algrt {

int ownThreads() { return tbb::info::default_concurrency(); }

void runOnOwnThreads(int workers, const std::function<void(int worker)> &worker) {
  // An arena of its own: the caller may itself run inside a smaller one, or one that is busy.
  tbb::task_arena arena(workers);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, workers, 1),
        [&](const tbb::blocked_range<int> &range) {
          for (int i = range.begin(); i != range.end(); ++i)
            worker(i);
        },
        tbb::simple_partitioner());
  });
}

} // namespace algrt
