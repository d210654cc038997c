// How deep the text of a module is nested.
#pragma once

#include <string>
#include <string_view>

namespace compiler {

/// The parser of MLIR recurses over what is nested, and a stack ends. Throws algebras::InputError at the
/// bracket that is nested deeper than any program, strings and comments left out. `name` is what
/// messages call the text.
void requireShallowModule(std::string_view text, const std::string &name);

} // namespace compiler
