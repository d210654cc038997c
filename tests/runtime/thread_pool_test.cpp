// The caller's threads in the place of the runtime's own.
#include "runtime/algrt.h"
#include "runtime/support/error.h"
#include "runtime/support/parallel.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

struct Pool {
  std::atomic<int> calls = 0;
  int at_once = 3;

  // At once, as many at a time as the pool has threads.
  static void forEach(void *context, int32_t count, void (*run)(void *, int32_t), void *task) {
    auto &self = *static_cast<Pool *>(context);
    ++self.calls;
    std::atomic<int32_t> next = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < self.at_once; ++thread)
      threads.emplace_back([&] {
        for (int32_t index = next++; index < count; index = next++)
          run(task, index);
      });
  }
};

class ThreadPools : public testing::Test {
protected:
  ThreadPools() { EXPECT_EQ(algrt_set_thread_pool(&Pool::forEach, &pool, 3), ALGRT_OK); }
  ~ThreadPools() override { EXPECT_EQ(algrt_set_thread_pool(nullptr, nullptr, 0), ALGRT_OK); }

  Pool pool;
};

TEST_F(ThreadPools, HaveAllTasksOnceAndNoWorkerTwice) {
  std::vector<std::atomic<int>> done(1000);
  std::vector<std::atomic<bool>> busy(3);
  algrt::runTasks(algrt::resolveThreads(0), 1000, [&](int worker, int64_t begin, int64_t end) {
    ASSERT_LT(worker, 3);
    EXPECT_FALSE(busy[size_t(worker)].exchange(true));
    for (int64_t task = begin; task < end; ++task)
      ++done[size_t(task)];
    busy[size_t(worker)] = false;
  });
  for (const std::atomic<int> &count : done)
    EXPECT_EQ(count, 1);
  EXPECT_EQ(pool.calls, 1);
}

TEST_F(ThreadPools, SayHowManyThreadsThereAre) {
  EXPECT_EQ(algrt::resolveThreads(0), 3);
  EXPECT_EQ(algrt::resolveThreads(2), 2);
  EXPECT_EQ(algrt::resolveThreads(100), 3);
  EXPECT_EQ(algrt_set_thread_pool(nullptr, nullptr, 0), ALGRT_OK);
  EXPECT_EQ(algrt::resolveThreads(0), algrt::ownThreads());
}

TEST_F(ThreadPools, CarryErrorsToTheCaller) {
  const auto fail = [](int, int64_t begin, int64_t) {
    if (begin == 0)
      throw algrt::Error(ALGRT_UNSUPPORTED, "the first task");
  };
  EXPECT_THROW(algrt::runTasks(3, 100, fail), algrt::Error);
  EXPECT_EQ(pool.calls, 1);
}

TEST_F(ThreadPools, AreNotAskedForOneThread) {
  algrt::runTasks(1, 100, [](int worker, int64_t, int64_t) { EXPECT_EQ(worker, 0); });
  EXPECT_EQ(pool.calls, 0);
}

TEST_F(ThreadPools, HaveAThread) {
  EXPECT_EQ(algrt_set_thread_pool(&Pool::forEach, &pool, 0), ALGRT_INVALID_ARGUMENT);
  EXPECT_STREQ(algrt_last_error(), "threads is 0, a thread pool has 1 or more");
  EXPECT_EQ(algrt::resolveThreads(0), 3); // as before
}

} // namespace
