#include "compiler/simulator/model/fiber.h"

#include <boost/context/detail/fcontext.hpp>

#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALGCTL_ADDRESS_SANITIZER 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#endif

namespace simulator {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

struct FiberEntry {
  static void enter(transfer_t from) { Fiber::enter(from.fctx, static_cast<Fiber *>(from.data)); }
};

void Fiber::enter(void *context, Fiber *self) {
  self->scheduler_ = context;
#ifdef ALGCTL_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &self->scheduler_lowest_, &self->scheduler_bytes_);
#endif
  (*self->body_)();
  self->ended_ = true;
  self->leave();
}

void Fiber::start(uint8_t *stack_top, size_t stack_bytes, const std::function<void()> *what) {
  top_ = stack_top;
  bytes_ = stack_bytes;
  body_ = what;
  ended_ = false;
  own_fake_ = nullptr;
#ifdef ALGCTL_ADDRESS_SANITIZER
  // An abandoned fiber has left the marks of its frames.
  __asan_unpoison_memory_region(lowest(), bytes_);
#endif
  own_ = make_fcontext(top_, bytes_, FiberEntry::enter);
}

bool Fiber::resume() {
#ifdef ALGCTL_ADDRESS_SANITIZER
  void *fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, lowest(), bytes_);
#endif
  own_ = jump_fcontext(own_, this).fctx;
#ifdef ALGCTL_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  return !ended_;
}

void Fiber::leave() {
#ifdef ALGCTL_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(ended_ ? nullptr : &own_fake_, scheduler_lowest_, scheduler_bytes_);
#endif
  scheduler_ = jump_fcontext(scheduler_, this).fctx;
#ifdef ALGCTL_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(own_fake_, &scheduler_lowest_, &scheduler_bytes_);
#endif
}

StackPool &StackPool::ofThisThread() {
  thread_local StackPool pool;
  return pool;
}

StackPool::~StackPool() {
  const size_t guard = size_t(sysconf(_SC_PAGESIZE));
  for (uint8_t *stack : stacks_)
    munmap(stack, stack_bytes + guard);
}

uint8_t *StackPool::top(size_t index) {
  const size_t guard = size_t(sysconf(_SC_PAGESIZE));
  while (stacks_.size() <= index) {
    void *stack = mmap(nullptr, stack_bytes + guard, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
      throw std::bad_alloc();
    mprotect(stack, guard, PROT_NONE);
    stacks_.push_back(static_cast<uint8_t *>(stack));
  }
  return stacks_[index] + guard + stack_bytes;
}

} // namespace simulator
