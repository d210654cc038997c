#include "algebras/utf8.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

namespace algebras {

size_t utf8Length(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80)
    return 1;
  const auto length = static_cast<size_t>(std::countl_one(first));
  if (length < 2 || length > 4 || text.size() - at < length)
    return 0;
  uint32_t code = first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (next & 0x3f);
  }
  constexpr std::array<uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

void requireUtf8(std::string_view content, const std::string &file) {
  for (size_t at = 0; at < content.size();) {
    const size_t length = utf8Length(content, at);
    if (length == 0)
      throw InputError(fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(content[at])),
                       locate(content, at, file))
          .hint("files are read as UTF-8; iconv -f LATIN1 -t UTF-8 converts one of another encoding");
    at += length;
  }
}

} // namespace algebras
