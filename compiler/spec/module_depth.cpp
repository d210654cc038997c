#include "compiler/spec/module_depth.h"

#include "algebras/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

constexpr int64_t most_nested = 256; // of a kernel some ten
// Operators and signs of an affine expression, which nest without brackets.
constexpr int64_t most_operators = 4096;

/// One past a string, which ends with its line at the latest.
size_t endOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"')
      return at + 1;
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n')
      ++at;
  }
  return at;
}

} // namespace

void requireShallowModule(std::string_view text, const std::string &name) {
  // Each kind by itself: one that closes nothing must not hide another that opens.
  int64_t braces = 0, brackets = 0, parentheses = 0, angles = 0, operators = 0;
  auto open = [&](int64_t &depth, size_t at) {
    if (++depth > most_nested)
      throw algebras::InputError(
          fmt::format("brackets are nested deeper than {}, which no program's are", most_nested),
          algebras::locate(text, at, name));
  };
  auto close = [](int64_t &depth) { depth -= depth > 0 ? 1 : 0; };
  for (size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    switch (text[at]) {
    case '"':
      at = endOfString(text, at) - 1;
      break;
    case '/':
      if (next == '/')
        at = std::min(text.find('\n', at), text.size()) - 1;
      break;
    case '{':
      open(braces, at);
      operators = 0;
      break;
    case '}':
      close(braces);
      operators = 0;
      break;
    case '[':
      open(brackets, at);
      break;
    case ']':
      close(brackets);
      break;
    case '(':
      open(parentheses, at);
      break;
    case ')':
      close(parentheses);
      break;
    case '<':
      open(angles, at);
      break;
    case '>':
      if (next != '=') // a comparison
        close(angles);
      break;
    case '-':
      if (next == '>') { // an arrow
        ++at;
        break;
      }
      [[fallthrough]];
    case '+':
    case '*':
      if (++operators > most_operators)
        throw algebras::InputError(
            fmt::format("an expression of more than {} operators, which no kernel has", most_operators),
            algebras::locate(text, at, name));
      break;
    case '\n':
      // An expression may go on in the next line, but not beyond the op's.
      if (next == ' ' || next == '\n' || next == '\t')
        break;
      operators = 0;
      break;
    case '=':
    case ',':
    case ':':
      operators = 0;
      break;
    default:
      break;
    }
  }
}

} // namespace compiler
