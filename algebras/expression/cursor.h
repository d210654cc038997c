// A place in the text of an expression, and errors that point at it.
#pragma once

#include "algebras/error.h"
#include "algebras/expression.h"

#include <string>
#include <string_view>

namespace algebras::detail {

class Cursor {
public:
  Cursor(std::string_view text, const ExpressionOptions &options) : text_(text), options_(options) {}

  size_t offset() const { return offset_; }
  bool atEnd(); // after blanks
  // The next character after blanks, or 0 at the end.
  char peek();
  // Takes the character, or says no and leaves it.
  bool take(char expected);
  bool takeWord(std::string_view expected);
  void require(char expected, std::string_view purpose);
  // A word of letters; empty when there is none.
  std::string_view word();
  // Letters, digits and underscores; empty when there are none.
  std::string_view name();
  // A non-negative number: digits, or digits "/" digits.
  Rational fraction(std::string_view purpose);
  // A non-negative decimal integer that fits in 64 bits.
  int64_t integer(std::string_view purpose);
  // A file name: in double quotes, or up to the next `end` with blanks around it dropped.
  std::string fileName(char end = ')');
  // The JSON object that starts here, to its closing brace.
  std::string_view json();

  [[noreturn]] void fail(size_t offset, const std::string &message, const std::string &hint = {}) const;
  SourceLocation where(size_t offset) const;

private:
  void skipBlanks();

  std::string_view text_;
  const ExpressionOptions &options_;
  size_t offset_ = 0;
};

} // namespace algebras::detail
