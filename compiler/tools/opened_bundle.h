// Bundles as commands use them through the runtime's C interface.
#pragma once

#include "runtime/algrt.h"

#include <memory>
#include <string>

namespace compiler {

/// Throws what a command ends with where a call of the runtime failed, with the runtime's sentence:
/// AbsentError for ALGRT_UNSUPPORTED, std::logic_error for ALGRT_INTERNAL, Failure for everything else.
void requireDone(int status);

struct CloseBundle {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
};
struct FreeWeights {
  void operator()(algrt_weights *weights) const { algrt_weights_free(weights); }
};
using OpenedBundle = std::unique_ptr<algrt_bundle, CloseBundle>;
using PackedWeights = std::unique_ptr<algrt_weights, FreeWeights>;

/// Throws as requireDone does.
OpenedBundle openBundle(const std::string &path);

} // namespace compiler
