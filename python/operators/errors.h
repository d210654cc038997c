// How operators fail: with a sentence that names the argument, a RuntimeError in Python.
#pragma once

#include "runtime/algrt.h"

#include <sstream>
#include <stdexcept>

namespace algctl_torch {

template <class... Parts> [[noreturn]] void fail(const Parts &...parts) {
  std::ostringstream sentence;
  (sentence << ... << parts);
  throw std::runtime_error(sentence.str());
}

template <class... Parts> void require(bool holds, const Parts &...parts) {
  if (!holds)
    fail(parts...);
}

// Throws the runtime's sentence where a call of it has failed.
inline void check(int status) {
  require(status == ALGRT_OK, algrt_last_error(), " (", algrt_status_name(status), ")");
}

} // namespace algctl_torch
