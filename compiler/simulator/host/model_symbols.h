// The functions of the model by name, for a linker of machine code in memory.
#pragma once

#include <span>
#include <utility>

namespace compiler {

/// All functions of compiler/simulator/model/calls.h.
std::span<const std::pair<const char *, void *>> modelSymbols();

} // namespace compiler
