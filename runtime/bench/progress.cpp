#include "runtime/bench/progress.h"

#include "runtime/support/printable_text.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace algrt {

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_)
    std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(double fraction, const std::string &what) {
  if (!terminal_)
    return;
  constexpr int cells = 24;
  const int filled = int(std::clamp(fraction, 0.0, 1.0) * cells);
  const std::string bar = std::string(size_t(filled), '#') + std::string(size_t(cells - filled), '.');
  std::fprintf(stderr, "\r\x1b[K[%s] %3.0f%% %s", bar.c_str(), 100 * fraction, printable(what).c_str());
  std::fflush(stderr);
  shown_ = true;
}

} // namespace algrt
