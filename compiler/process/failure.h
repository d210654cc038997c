// What a command can fail with besides bad input (algebras::InputError) and wrong usage (UsageError).
#pragma once

#include <stdexcept>

namespace compiler {

// A diagnosed failure that has no place in an input file; exit code 1.
class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Something that the machine or this build lacks; exit code 4.
class AbsentError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace compiler
