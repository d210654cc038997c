#include "algebras/expression/cursor.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace algebras::detail {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

} // namespace

void Cursor::skipBlanks() {
  while (offset_ < text_.size() && isBlank(text_[offset_]))
    ++offset_;
}

bool Cursor::atEnd() {
  skipBlanks();
  return offset_ == text_.size();
}

char Cursor::peek() {
  skipBlanks();
  return offset_ < text_.size() ? text_[offset_] : '\0';
}

bool Cursor::take(char expected) {
  if (atEnd() || text_[offset_] != expected)
    return false;
  ++offset_;
  return true;
}

bool Cursor::takeWord(std::string_view expected) {
  skipBlanks();
  if (!text_.substr(offset_).starts_with(expected))
    return false;
  offset_ += expected.size();
  return true;
}

void Cursor::require(char expected, std::string_view purpose) {
  if (!take(expected))
    fail(offset_, fmt::format("'{}' is missing {}", expected, purpose));
}

std::string_view Cursor::word() {
  skipBlanks();
  size_t start = offset_;
  while (offset_ < text_.size() &&
         (std::isalpha(static_cast<unsigned char>(text_[offset_])) || text_[offset_] == '_'))
    ++offset_;
  return text_.substr(start, offset_ - start);
}

std::string_view Cursor::name() {
  skipBlanks();
  size_t start = offset_;
  while (offset_ < text_.size() &&
         (std::isalnum(static_cast<unsigned char>(text_[offset_])) || text_[offset_] == '_'))
    ++offset_;
  return text_.substr(start, offset_ - start);
}

Rational Cursor::fraction(std::string_view purpose) {
  skipBlanks();
  size_t start = offset_;
  auto digits = [&] {
    skipBlanks();
    size_t begin = offset_;
    while (offset_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[offset_])))
      ++offset_;
    if (offset_ == begin)
      fail(begin, fmt::format("{} is missing digits here", purpose));
    return std::string(text_.substr(begin, offset_ - begin));
  };
  std::string number = digits();
  if (take('/'))
    number += "/" + digits();
  try {
    return Rational::parse(number);
  } catch (const InputError &error) {
    fail(start, error.what(), error.hint());
  }
}

int64_t Cursor::integer(std::string_view purpose) {
  skipBlanks();
  size_t start = offset_;
  bool negative = offset_ < text_.size() && text_[offset_] == '-';
  const char *begin = text_.data() + offset_ + negative, *end = text_.data() + text_.size();
  int64_t value = 0;
  auto [stop, code] = std::from_chars(begin, end, value);
  if (code == std::errc::result_out_of_range)
    fail(start, fmt::format("{} does not fit in 64 bits", purpose));
  if (code != std::errc() || stop == begin || *begin == '-')
    fail(start, fmt::format("{} is missing: an integer is needed here", purpose));
  if (negative)
    fail(start, fmt::format("{} is negative", purpose));
  offset_ = static_cast<size_t>(stop - text_.data());
  return value;
}

std::string Cursor::fileName(char stop) {
  skipBlanks();
  size_t start = offset_;
  bool quoted = take('"');
  size_t end = text_.find(quoted ? '"' : stop, offset_);
  if (end == std::string_view::npos)
    fail(start, quoted ? std::string("this file name is not closed with a quote")
                       : fmt::format("'{}' is missing after this file name", stop));
  std::string_view name = text_.substr(offset_, end - offset_);
  offset_ = end + quoted;
  while (!quoted && !name.empty() && isBlank(name.back()))
    name.remove_suffix(1);
  if (name.empty())
    fail(start, "a file name is needed here");
  if (name.find('\0') != std::string_view::npos)
    fail(start, "a file name holds no zero bytes");
  return std::string(name);
}

std::string_view Cursor::json() {
  skipBlanks();
  size_t start = offset_;
  size_t depth = 0;
  bool string = false;
  for (; offset_ < text_.size(); ++offset_) {
    char c = text_[offset_];
    if (string) {
      offset_ += c == '\\';
      string = c != '"';
    } else if (c == '"') {
      string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      ++offset_;
      return text_.substr(start, offset_ - start);
    }
  }
  offset_ = text_.size();
  fail(start, "this JSON object is not closed");
}

SourceLocation Cursor::where(size_t offset) const {
  SourceLocation where = locate(text_, offset, options_.file);
  // The first line of the expression may stand in the middle of a line of its file, whose start is not known
  // here: blanks stand for it.
  if (where.line == 1 && options_.column > 1) {
    where.text = std::string(static_cast<size_t>(options_.column - 1), ' ') + where.text;
    where.column += options_.column - 1;
  }
  where.line += options_.line - 1;
  return where;
}

void Cursor::fail(size_t offset, const std::string &message, const std::string &hint) const {
  throw InputError(message, where(offset)).hint(hint);
}

} // namespace algebras::detail
