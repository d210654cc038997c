// Errors that the user of the library can mend: a wrong file, a wrong expression, sizes that cannot be.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace algebras {

// A place in an input. Lines and columns count from 1 and columns count bytes; `text` is the source line, or
// a part of it around the place where the line is long: it starts in column `text_column`.
struct SourceLocation {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
  std::string text;
  int64_t text_column = 1;
};

// The location of byte `offset` of `content`; an offset past the end means the end.
SourceLocation locate(std::string_view content, size_t offset, std::string file);

// Bad input. what() is the message alone; render() adds place, caret and hint for a terminal.
class InputError : public std::runtime_error {
public:
  explicit InputError(std::string message);
  InputError(std::string message, SourceLocation where);

  // Says what to do about it; returns *this so that an error can be thrown in one expression.
  InputError &hint(std::string text);
  const std::string &hint() const { return hint_; }
  const std::optional<SourceLocation> &where() const { return where_; }

  // "file:3:7: error: message\n<line>\n      ^\nhint: ...", without the parts that are not known.
  std::string render() const;

private:
  std::optional<SourceLocation> where_;
  std::string hint_;
};

} // namespace algebras
