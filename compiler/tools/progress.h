// A progress bar on stderr, when that is a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace compiler {

class Progress {
public:
  explicit Progress(std::size_t steps);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // `fraction` of the current step is done.
  void show(double fraction, const std::string &what);
  void next() { ++done; }
  // Leaves the line empty for what is printed next.
  void clear();

private:
  std::size_t steps, done = 0;
  bool terminal, drawn = false;
};

} // namespace compiler
