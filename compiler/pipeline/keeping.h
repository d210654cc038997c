// Whether gradients take what the programs keep, where that is left to the prediction.
#pragma once

#include "compiler/pipeline/pipeline.h"

#include <optional>
#include <string>

namespace compiler {

/// Makes the choice of Keeping::WhereFaster in the options, and returns why it is so; nothing where there was
/// none to make. Plans the programs both ways; throws as planProgram does.
std::optional<std::string> settleKeeping(const Spec &spec, CompileOptions &options);

} // namespace compiler
