// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>
#include <utility>

namespace compiler {

class Descriptor {
public:
  /// Below 0 where nothing could be opened.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return number_; }
  /// The number, which is the caller's to close from now on.
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
};

} // namespace compiler
