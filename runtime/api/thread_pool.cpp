#include "runtime/algrt.h"
#include "runtime/api/arguments.h"
#include "runtime/support/parallel.h"

#include <string>

using namespace algrt;

int algrt_set_thread_pool(algrt_for_each for_each, void *context, int32_t threads) {
  return guarded([&] {
    if (for_each == nullptr)
      return setThreadPool(std::nullopt);
    if (threads < 1)
      refuse("threads is " + std::to_string(threads) + ", a thread pool has 1 or more");
    setThreadPool(ThreadPool{for_each, context, threads});
  });
}
