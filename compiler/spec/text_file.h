// Reads a text file that a user named.
#pragma once

#include <cstdint>
#include <string>

namespace compiler {

// The whole file, which is UTF-8. Throws algebras::InputError when it cannot be opened, is no regular file or
// no UTF-8, or is larger than `largest_bytes` (a spec is a page of text: anything else is the wrong file).
std::string readTextFile(const std::string &path, int64_t largest_bytes);

} // namespace compiler
