// Stacks that threads of a kernel run on, one switch apart from the scheduler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace simulator {

// The raw contexts of Boost.Context rather than boost::context::fiber: a fiber that is destroyed before it
// has ended unwinds its stack with an exception, and a kernel's frames have neither unwind tables nor
// anything to destroy.
class Fiber {
public:
  // `body` is to leave by a last `leave`; if it returns, the fiber has ended.
  void start(uint8_t *stack_top, size_t stack_bytes, const std::function<void()> *body);
  // From the scheduler: runs the fiber until it leaves. False when its body has returned.
  bool resume();
  // From inside the fiber: back to the scheduler.
  void leave();

  uint8_t *lowest() const { return top_ - bytes_; }
  uint8_t *highest() const { return top_; }

private:
  static void enter(void *context, Fiber *self);
  friend struct FiberEntry;

  void *own_ = nullptr;       // where the fiber continues
  void *scheduler_ = nullptr; // where the scheduler continues
  uint8_t *top_ = nullptr;
  size_t bytes_ = 0;
  const std::function<void()> *body_ = nullptr;
  bool ended_ = false;
  // The address sanitizer's notes, used with it alone.
  [[maybe_unused]] void *own_fake_ = nullptr;
  [[maybe_unused]] const void *scheduler_lowest_ = nullptr;
  [[maybe_unused]] size_t scheduler_bytes_ = 0;
};

// Stacks with a guard page below each, kept from launch to launch by the thread that runs launches.
class StackPool {
public:
  static constexpr size_t stack_bytes = 1024 * 1024; // of which a kernel touches what it needs
  static StackPool &ofThisThread();

  ~StackPool();
  // The top of stack number `index`. Throws std::bad_alloc when the system has no room.
  uint8_t *top(size_t index);

private:
  std::vector<uint8_t *> stacks_;
};

} // namespace simulator
