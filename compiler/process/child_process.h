// Running a program on the side.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace compiler {

/// Where a program's standard output and standard error go: names of files that are there. Its standard input
/// is empty.
struct Redirection {
  std::string output, messages;
};

/// Runs the program at a path to its end and returns its exit status. It does not outlive this process,
/// however that ends. Throws Failure where it cannot be started, where a signal ends it, and where it takes
/// longer than `most`, when it is killed.
int runProgram(const std::string &path, const std::vector<std::string> &arguments, const Redirection &to,
               std::chrono::seconds most = std::chrono::minutes(10));

} // namespace compiler
