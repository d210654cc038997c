#include "algebras/json/json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

bool isNumberByte(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e' ||
         byte == 'E';
}

} // namespace

std::string_view JsonText::bytes(Token token) const {
  const char *begin = text_.data(), *end = reached_, *start = end;
  switch (token) {
  case Token::Bracket:
    start = end - 1;
    break;
  case Token::String:
    // Quotes inside a string are escaped; the one that opens it follows no backslash.
    start = end - 2;
    while (*start != '"' || (start != begin && start[-1] == '\\'))
      --start;
    break;
  case Token::Number:
    // A number is known to have ended when the byte behind it has been taken, unless it ends the text.
    if (!isNumberByte(end[-1]))
      --end;
    start = end;
    while (start != begin && isNumberByte(start[-1]))
      --start;
    break;
  case Token::Literal:
    while (start != begin && start[-1] >= 'a' && start[-1] <= 'z')
      --start;
    break;
  }
  return {start, static_cast<size_t>(end - start)};
}

std::string JsonText::excerpt(size_t start) const {
  constexpr size_t longest = 60;
  std::string_view whole = text_.substr(start, static_cast<size_t>(reached_ - text_.data()) - start);
  std::string shown(whole.substr(0, whole.size() <= longest ? longest : longest - 3));
  for (char &byte : shown)
    if (static_cast<unsigned char>(byte) < 0x20)
      byte = ' ';
  return whole.size() <= longest ? shown : shown + "...";
}

void JsonText::refuseZeroBytes() const {
  // The library takes a zero byte for the end of the text and would not look at what follows.
  if (size_t zero = text_.find('\0'); zero != std::string_view::npos)
    throw InputError("not JSON: byte 0x00 cannot stand here", locate(zero));
}

void JsonText::refuseSyntax(size_t position, const nlohmann::json::exception &error) const {
  constexpr int number_too_large = 406;
  if (error.id == number_too_large)
    throw InputError("a number is too large", locate(offset(Token::Number)))
        .hint("write it as a string: \"num/den\"");
  std::string message = error.what();
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": keep what follows
  // the place.
  if (size_t colon = message.find(": "); colon != std::string::npos)
    message = message.substr(colon + 2);
  // It may repeat a string of megabytes.
  constexpr size_t longest = 200;
  if (message.size() > longest)
    message.replace(longest - 3, std::string::npos, "...");
  throw InputError("not JSON: " + message, locate(position > 0 ? position - 1 : 0));
}

} // namespace algebras
