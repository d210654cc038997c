// The command line is wrong, as opposed to what it names. algctl answers with exit code 2.
#pragma once

#include <stdexcept>

namespace compiler {

class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace compiler
