#include "compiler/tools/opened_bundle.h"

#include "compiler/process/failure.h"

#include <stdexcept>

namespace compiler {

void requireDone(int status) {
  if (status == ALGRT_OK)
    return;
  const std::string message = algrt_last_error();
  if (status == ALGRT_UNSUPPORTED)
    throw AbsentError(message);
  if (status == ALGRT_INTERNAL)
    throw std::logic_error(message);
  throw Failure(message);
}

OpenedBundle openBundle(const std::string &path) {
  algrt_bundle *opened = nullptr;
  requireDone(algrt_bundle_open(path.c_str(), &opened));
  return OpenedBundle(opened);
}

} // namespace compiler
