// Colours for row types: the same in the quiver and in the product table.
#pragma once

#include <cstdint>
#include <string>

namespace compiler {

struct TypeColours {
  std::string strong; // lines and outlines, "#rrggbb"
  std::string pale;   // backgrounds behind dark text
};

// Hues spread evenly over `count` types.
TypeColours typeColours(int64_t type, int64_t count);

} // namespace compiler
