// Which build of the compiler this is.
#pragma once

#include <string>

namespace compiler {

/// The version, and the build identifiers that the linker left in this program and in the LLVM and MLIR that
/// it runs with: another compiler makes other code of the same program without its version saying so. Without
/// paths and dates. Empty where this program has no build identifier.
const std::string &buildIdentity();

} // namespace compiler
