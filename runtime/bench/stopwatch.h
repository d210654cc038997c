// Microseconds that a call takes.
#pragma once

#include <chrono>

namespace algrt {

template <typename Call> double microsecondsOf(Call &&call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace algrt
