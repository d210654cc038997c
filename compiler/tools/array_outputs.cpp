#include "compiler/tools/array_outputs.h"

#include "compiler/spec/usage_error.h"
#include "compiler/tools/session.h"
#include "runtime/support/standard_streams.h"

#include <fmt/format.h>

namespace compiler {

ArrayOutputs::ArrayOutputs(const std::string &result_name, const std::string &dbias_name, bool json) {
  const bool first = namesStandardOutput(result_name), second = namesStandardOutput(dbias_name);
  if (first && second)
    throw UsageError("the result and the gradient of the bias cannot both go to standard output");
  if (json && (first || second))
    throw UsageError("--json and an array cannot both go to standard output");
  if (!result_name.empty() && !dbias_name.empty() && nameOneFile(result_name, dbias_name))
    throw UsageError(
        fmt::format("--output and --dbias both write {}: give each a file of its own", dbias_name));
  if (!result_name.empty())
    result = std::make_unique<OutputFile>(result_name, Contents::Binary);
  if (!dbias_name.empty())
    dbias = std::make_unique<OutputFile>(dbias_name, Contents::Binary);
}

void ArrayOutputs::report(const std::string &text) const {
  if ((result && result->isStandardOutput()) || (dbias && dbias->isStandardOutput()))
    algrt::writeDiagnostic(text);
  else
    printText(text);
}

} // namespace compiler
