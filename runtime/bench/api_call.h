// Calls of the runtime's C interface where failures are exceptions.
#pragma once

#include "runtime/algrt.h"
#include "runtime/support/error.h"

#include <memory>
#include <string>

namespace algrt {

// Throws Error with the sentence of the failure.
inline void requireDone(int status) {
  if (status != ALGRT_OK)
    throw Error(algrt_status(status), algrt_last_error());
}

struct CloseBundle {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
};
using OpenBundle = std::unique_ptr<algrt_bundle, CloseBundle>;

inline OpenBundle openBundle(const std::string &path) {
  algrt_bundle *bundle = nullptr;
  requireDone(algrt_bundle_open(path.c_str(), &bundle));
  return OpenBundle(bundle);
}

} // namespace algrt
