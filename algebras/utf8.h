// Whether text is what every reader here takes it for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace algebras {

// Bytes of the character of UTF-8 that begins at `at`; 0 where none does: too few bytes, more than are
// needed, half of a surrogate pair, or a number beyond U+10FFFF.
size_t utf8Length(std::string_view text, size_t at);

// InputError at the first byte that is no UTF-8. Names from a file go into JSON and onto terminals, which
// take nothing else.
void requireUtf8(std::string_view content, const std::string &file);

} // namespace algebras
