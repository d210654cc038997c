#include "runtime/bench/report.h"

#include <cctype>

namespace algrt {

namespace {

std::string quoted(const std::string &word) {
  constexpr std::string_view plain_marks = "_-./,:=+@%^";
  bool plain = !word.empty();
  for (unsigned char c : word)
    plain &= std::isalnum(c) != 0 || plain_marks.find(char(c)) != std::string_view::npos;
  if (plain)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

} // namespace

std::string shellCommand(const std::string &program, int argc, const char *const *argv) {
  std::string command = program;
  for (int i = 1; i < argc; ++i)
    command += " " + quoted(argv[i]);
  return command;
}

} // namespace algrt
