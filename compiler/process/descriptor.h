// A file descriptor that is closed with its owner.
#ifndef ALGCTL_COMPILER_PROCESS_DESCRIPTOR_H
#define ALGCTL_COMPILER_PROCESS_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace compiler {

class Descriptor {
public:
  /// Below 0 where nothing could be opened.
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return number; }
  /// The number, which is the caller's to close from now on.
  int release() { return std::exchange(number, -1); }

private:
  int number;
};

} // namespace compiler

#endif
