// Where in a table file an entry stands.
#pragma once

#include "algebras/json/json_text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace algebras {

// An entry of "constants" of a well-formed table document, with the offsets of its four parts.
struct EntryPlace {
  int64_t index = 0; // from 0, in the order of the file
  size_t offset = 0;
  std::array<int64_t, 3> slots{};
  std::array<size_t, 4> parts{};
};

// Reads the file once more, for the place of a fault that shows only later: millions of offsets need not be
// kept for that. Calls take() with every entry until it returns true.
void visitEntries(JsonText &text, const std::function<bool(const EntryPlace &)> &take);

// The offset of the coefficient `index` of "identity".
size_t identityPlace(JsonText &text, int64_t index);

} // namespace algebras
