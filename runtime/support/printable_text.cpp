#include "runtime/support/printable_text.h"

namespace algrt {

namespace {

unsigned char byteAt(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

// Bytes of the character that begins `at`; 0 where none does: too few bytes, more than are needed, a
// surrogate, or beyond U+10FFFF.
size_t characterBytes(std::string_view text, size_t at) {
  const unsigned char first = byteAt(text, at);
  if (first < 0x80)
    return 1;
  const size_t count = first >= 0xc2 && first < 0xe0   ? 2
                       : first >= 0xe0 && first < 0xf0 ? 3
                       : first >= 0xf0 && first < 0xf5 ? 4
                                                       : 0;
  if (count == 0 || text.size() - at < count)
    return 0;
  const unsigned char second = byteAt(text, at + 1);
  const unsigned char least = first == 0xe0   ? 0xa0
                              : first == 0xf0 ? 0x90
                                              : 0x80,
                      most = first == 0xed   ? 0x9f
                             : first == 0xf4 ? 0x8f
                                             : 0xbf;
  if (second < least || second > most)
    return 0;
  for (size_t i = 2; i < count; ++i)
    if ((byteAt(text, at + i) & 0xc0) != 0x80)
      return 0;
  return count;
}

bool isControl(std::string_view character) {
  const unsigned char first = byteAt(character, 0);
  if (character.size() == 1)
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  return first == 0xc2 && byteAt(character, 1) < 0xa0; // U+0080 to U+009F
}

} // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t count = characterBytes(text, at);
    const std::string_view part = text.substr(at, count == 0 ? 1 : count);
    if (count != 0 && !isControl(part)) {
      result += part;
    } else {
      for (const char byte : part) {
        result += "\\x";
        result += digits[static_cast<unsigned char>(byte) >> 4];
        result += digits[static_cast<unsigned char>(byte) & 15];
      }
    }
    at += part.size();
  }
  return result;
}

size_t firstInvalidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t count = characterBytes(text, at);
    if (count == 0)
      return at;
    at += count;
  }
  return std::string_view::npos;
}

} // namespace algrt
