#include "runtime/support/parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace algrt {

int ownThreads() { return int(std::max(1u, std::thread::hardware_concurrency())); }

void runOnOwnThreads(int workers, const std::function<void(int worker)> &worker) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto guarded = [&](int number) {
    try {
      worker(number);
    } catch (...) { // carried to the caller's thread
      std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 1; i < workers; ++i)
    threads.emplace_back(guarded, i);
  guarded(0);
  threads.clear();
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace algrt
