// What the commands of algctl share: where a command leaves its work for main(), and how it says that things
// failed.
#pragma once

#include "compiler/failure.h"

#include <functional>
#include <string>

namespace compiler {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,             // diagnosed: bad input, a missing file, a check that did not hold
  kWrongUsage = 2,         // the command line itself
  kVerificationFailed = 3, // the algebra is not associative and unital, or a kernel is wrong
  kAbsent = 4,             // a device, target or library that this machine does not have
  kBug = 70,               // ours
};

// A command's callback sets `run`, and main() calls it after the command line has been read in full. It
// returns an exit code, or throws.
struct Session {
  std::function<int()> run;
  std::string command; // the whole command line, for a shell to repeat
};

// Calls `run` and turns every exception into an exit code and one message on stderr.
int runGuarded(const std::function<int()> &run);

// The one way onto stderr: "algctl: error: ...".
void printError(const std::string &message);
void printWarning(const std::string &message);

} // namespace compiler
