#include "compiler/tools/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace compiler {

Progress::Progress(std::size_t steps)
    : steps(std::max<std::size_t>(1, steps)), terminal(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(double fraction, const std::string &what) {
  if (!terminal)
    return;
  constexpr std::size_t kWidth = 30;
  double part = (static_cast<double>(done) + std::clamp(fraction, 0.0, 1.0)) / static_cast<double>(steps);
  auto filled = static_cast<std::size_t>(part * kWidth);
  fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} %  {}", std::string(filled, '#'),
             std::string(kWidth - filled, '.'), part * 100, what);
  std::fflush(stderr);
  drawn = true;
}

void Progress::clear() {
  if (!drawn)
    return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn = false;
}

} // namespace compiler
