// The command line is wrong, as opposed to what it names. algctl answers with exit code 2.
#ifndef ALGCTL_COMPILER_SPEC_USAGE_ERROR_H
#define ALGCTL_COMPILER_SPEC_USAGE_ERROR_H

#include <stdexcept>

namespace compiler {

class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace compiler

#endif
