// The arrays that run and simulate write: the result, and the gradient of a bias.
#pragma once

#include "compiler/tools/output_file.h"

#include <memory>
#include <string>

namespace compiler {

// Both opened before the work starts; null where nothing names them.
struct ArrayOutputs {
  // Throws as OutputFile does for arrays, which are no text, and UsageError where two of the result, the
  // gradient and, with `json`, the report would go to standard output, or the first two to one file.
  ArrayOutputs(const std::string &result, const std::string &dbias, bool json);

  // For people, onto standard output; onto stderr where an array goes there.
  void report(const std::string &text) const;

  std::unique_ptr<OutputFile> result, dbias;
};

} // namespace compiler
