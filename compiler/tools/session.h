// What the commands of algctl share: where a command leaves its work for main(), how it says that things
// failed, and how its results reach standard output.
#pragma once

#include "compiler/process/failure.h"

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace compiler {

enum ExitCode : int {
  Done = 0,
  Failed = 1,             // diagnosed: bad input, a missing file, a check that did not hold
  WrongUsage = 2,         // the command line itself
  VerificationFailed = 3, // the algebra is not associative and unital, or a kernel is wrong
  Absent = 4,             // a device, target or library that this machine does not have
  Bug = 70,               // ours
};

// A command's callback sets `run`, and main() calls it after the command line has been read in full. It
// returns an exit code, or throws.
struct Session {
  std::function<int()> run;
  std::string command; // the whole command line, for a shell to repeat
};

// Calls `run` and turns every exception into an exit code and one message on stderr.
int runGuarded(const std::function<int()> &run);

// The ways onto stderr: "algctl: error: ...". They never fail; what names hold that would control a terminal
// is shown as \x1b.
void printError(const std::string &message);
void printWarning(const std::string &message);
void printNote(const std::string &message);

// Results onto standard output. All throw algrt::Error where it cannot be written.
// For people: control characters are shown as in messages.
void printText(std::string_view text);
// One object, as jsonText writes it.
void printJson(const nlohmann::ordered_json &json);

} // namespace compiler
