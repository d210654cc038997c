// Text from outside - names in files, arguments - as a terminal may be given it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace algrt {

// Control characters other than a new line and a tab, and bytes that are not UTF-8, as "\x1b": what a name in
// a file says must not move the cursor, colour the screen or retitle the window. Everything else stays.
std::string printable(std::string_view text);

// Where the first byte stands that is no part of a character in UTF-8; npos where there is none.
size_t firstInvalidUtf8(std::string_view text);

} // namespace algrt
