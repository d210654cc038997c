// A progress bar on stderr, for people only.
#pragma once

#include <string>

namespace algrt {

class ProgressBar {
public:
  // Shows nothing unless stderr is a terminal.
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;

  // fraction in [0, 1].
  void show(double fraction, const std::string &what);

private:
  bool terminal_;
  bool shown_ = false;
};

} // namespace algrt
