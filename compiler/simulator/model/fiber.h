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
  void start(uint8_t *stackTop, size_t stackBytes, const std::function<void()> *body);
  // From the scheduler: runs the fiber until it leaves. False when its body has returned.
  bool resume();
  // From inside the fiber: back to the scheduler.
  void leave();

  uint8_t *lowest() const { return top - bytes; }
  uint8_t *highest() const { return top; }

private:
  static void enter(void *context, Fiber *self);
  friend struct FiberEntry;

  void *own = nullptr;       // where the fiber continues
  void *scheduler = nullptr; // where the scheduler continues
  uint8_t *top = nullptr;
  size_t bytes = 0;
  const std::function<void()> *body = nullptr;
  bool ended = false;
  // The address sanitizer's notes, used with it alone.
  [[maybe_unused]] void *ownFake = nullptr;
  [[maybe_unused]] const void *schedulerLowest = nullptr;
  [[maybe_unused]] size_t schedulerBytes = 0;
};

// Stacks with a guard page below each, kept from launch to launch by the thread that runs launches.
class StackPool {
public:
  static constexpr size_t stackBytes = 256 * 1024;
  static StackPool &ofThisThread();

  ~StackPool();
  // The top of stack number `index`. Throws std::bad_alloc when the system has no room.
  uint8_t *top(size_t index);

private:
  std::vector<uint8_t *> stacks;
};

} // namespace simulator
