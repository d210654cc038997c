#include "algebras/error.h"

#include "algebras/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

SourceLocation locate(std::string_view content, size_t offset, std::string file) {
  offset = std::min(offset, content.size());
  std::string_view before = content.substr(0, offset);
  size_t start = before.rfind('\n');
  start = start == std::string_view::npos ? 0 : start + 1;
  size_t end = content.find('\n', offset);
  end = end == std::string_view::npos ? content.size() : end;
  SourceLocation where;
  where.file = std::move(file);
  where.line = 1 + std::count(before.begin(), before.end(), '\n');
  where.column = static_cast<int64_t>(offset - start) + 1;
  // A file may be one line of a gigabyte.
  constexpr size_t longest_part = 1000;
  size_t from =
      offset - start > longest_part / 2 && end - start > longest_part ? offset - longest_part / 2 : start;
  where.text = content.substr(from, std::min(end - from, longest_part));
  where.text_column = static_cast<int64_t>(from - start) + 1;
  return where;
}

InputError::InputError(std::string message) : std::runtime_error(std::move(message)) {}

InputError::InputError(std::string message, SourceLocation where)
    : std::runtime_error(std::move(message)), where_(std::move(where)) {}

InputError &InputError::hint(std::string text) {
  hint_ = std::move(text);
  return *this;
}

namespace {

// A window of the line around the caret, so that one very long line does not flood the terminal.
struct Excerpt {
  std::string text;
  size_t caret;
};

Excerpt excerpt(const SourceLocation &where) {
  constexpr size_t width = 120;
  size_t caret = std::min<size_t>(std::max<int64_t>(where.column - where.text_column, 0), where.text.size());
  size_t start = where.text.size() <= width || caret < width / 2 ? 0 : caret - width / 2;
  // Every character takes one column, so that the caret stands right: one that would control the terminal
  // becomes a blank, and a byte that is no character a question mark.
  const std::string_view window = std::string_view(where.text).substr(start, width);
  Excerpt result{"", window.size()};
  for (size_t at = 0; at < window.size();) {
    if (at <= caret - start)
      result.caret = result.text.size();
    const size_t length = utf8Length(window, at);
    const std::string_view character = window.substr(at, std::max<size_t>(length, 1));
    const auto first = static_cast<unsigned char>(character[0]);
    const bool control = length == 1   ? (first < 0x20 && first != '\t') || first == 0x7f
                         : length == 2 ? first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0
                                       : false;
    if (length == 0)
      result.text += '?';
    else if (control)
      result.text += ' ';
    else
      result.text += character;
    at += character.size();
  }
  if (caret - start >= window.size())
    result.caret = result.text.size();
  return result;
}

} // namespace

std::string InputError::render() const {
  std::string out;
  if (where_ && !where_->file.empty()) {
    out += where_->file + ":";
    if (where_->line > 0)
      out += fmt::format("{}:{}:", where_->line, where_->column);
    out += " ";
  }
  out += fmt::format("error: {}", what());
  if (where_ && where_->line > 0) {
    Excerpt shown = excerpt(*where_);
    out += "\n" + shown.text + "\n";
    // Tabs are repeated, so that the caret stands right whatever their width; bytes that continue a UTF-8
    // character take no column.
    for (char c : std::string_view(shown.text).substr(0, shown.caret))
      if (c == '\t')
        out += '\t';
      else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
        out += ' ';
    out += '^';
  }
  if (!hint_.empty())
    out += "\nhint: " + hint_;
  return out;
}

} // namespace algebras
