// What no kernel for a GPU can do yet, whoever copies its operands.
#pragma once

#include "algebras/layer.h"

#include <string_view>

namespace compiler {

/// Throws algebras::InputError, with a hint, that speaks of `target`.
void requireGpuLayer(const algebras::Layer &layer, std::string_view target);

} // namespace compiler
