#include "algebras/graph/dot_tokens.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace algebras {

namespace {

using TokenKind = DotToken::Kind;

bool startsName(char c) {
  auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) || c == '_' || byte >= 0x80; // bytes of UTF-8 count as letters
}

bool continuesName(char c) { return startsName(c) || std::isdigit(static_cast<unsigned char>(c)); }

TokenKind keyword(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "strict")
    return TokenKind::Strict;
  if (lower == "graph")
    return TokenKind::Graph;
  if (lower == "digraph")
    return TokenKind::Digraph;
  if (lower == "node")
    return TokenKind::Node;
  if (lower == "edge")
    return TokenKind::Edge;
  if (lower == "subgraph")
    return TokenKind::Subgraph;
  return TokenKind::Identifier;
}

class Tokenizer {
public:
  Tokenizer(std::string_view content, const std::string &file) : content_(content), file_(file) {}

  std::vector<DotToken> run() {
    if (content_.starts_with("\xEF\xBB\xBF"))
      position_ = 3;
    for (skipBlanks(); position_ < content_.size(); skipBlanks())
      next();
    tokens_.push_back({TokenKind::End, "end of file", content_.size()});
    return std::move(tokens_);
  }

private:
  [[noreturn]] void fail(size_t offset, std::string message) const {
    throw InputError(std::move(message), locate(content_, offset, file_));
  }

  char at(size_t offset) const { return offset < content_.size() ? content_[offset] : '\0'; }

  void skipBlanks() {
    while (position_ < content_.size()) {
      char c = content_[position_];
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++position_;
      } else if ((c == '/' && at(position_ + 1) == '/') || (c == '#' && atLineStart())) {
        position_ = std::min(content_.find('\n', position_), content_.size());
      } else if (c == '/' && at(position_ + 1) == '*') {
        size_t end = content_.find("*/", position_ + 2);
        if (end == std::string_view::npos)
          fail(position_, "this comment is not closed");
        position_ = end + 2;
      } else {
        return;
      }
    }
  }

  bool atLineStart() const { return position_ == 0 || content_[position_ - 1] == '\n'; }

  void next() {
    size_t start = position_;
    char c = content_[position_];
    if (startsName(c))
      name(start);
    else if (c == '"')
      quoted(start);
    else if (c == '<')
      html(start);
    else if (content_.substr(start, 2) == "->" || content_.substr(start, 2) == "--") {
      position_ += 2;
      tokens_.push_back({c == '-' && at(start + 1) == '>' ? TokenKind::Arrow : TokenKind::Line,
                         std::string(content_.substr(start, 2)), start});
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-')
      number(start);
    else if (std::string_view("{}[];,=:").find(c) != std::string_view::npos) {
      ++position_;
      tokens_.push_back({TokenKind::Sign, std::string(1, c), start});
    } else if (std::isprint(static_cast<unsigned char>(c)))
      fail(start, fmt::format("'{}' cannot stand here; a name with such characters needs double quotes", c));
    else
      fail(start, fmt::format("byte 0x{:02x} cannot stand here", static_cast<unsigned char>(c)));
  }

  void name(size_t start) {
    while (position_ < content_.size() && continuesName(content_[position_]))
      ++position_;
    std::string_view word = content_.substr(start, position_ - start);
    tokens_.push_back({keyword(word), std::string(word), start});
  }

  void number(size_t start) {
    position_ += at(position_) == '-';
    size_t digits = 0;
    for (bool point = false; position_ < content_.size(); ++position_) {
      char c = content_[position_];
      if (c == '.' && !point)
        point = true;
      else if (std::isdigit(static_cast<unsigned char>(c)))
        ++digits;
      else
        break;
    }
    if (digits == 0)
      fail(start, "a number needs digits");
    tokens_.push_back({TokenKind::Identifier, std::string(content_.substr(start, position_ - start)), start});
  }

  // "..." with \" for a quote and a backslash before a line break for nothing; other escapes are left as they
  // are, as DOT says. Strings that + joins are one name.
  void quoted(size_t start) {
    std::string text;
    for (;;) {
      size_t open = position_++;
      while (position_ < content_.size() && content_[position_] != '"') {
        if (content_[position_] == '\\' && at(position_ + 1) == '"') {
          text += '"';
          position_ += 2;
        } else if (content_[position_] == '\\' && at(position_ + 1) == '\n') {
          position_ += 2;
        } else if (content_[position_] == '\\' && at(position_ + 1) == '\\') {
          text += "\\\\";
          position_ += 2;
        } else {
          text += content_[position_++];
        }
      }
      if (position_ >= content_.size())
        fail(open, "this string is not closed");
      ++position_;
      skipBlanks();
      if (at(position_) != '+')
        break;
      ++position_;
      skipBlanks();
      if (at(position_) != '"')
        fail(position_, "a string in double quotes has to follow '+'");
    }
    tokens_.push_back({TokenKind::Identifier, std::move(text), start});
  }

  void html(size_t start) {
    size_t depth = 0;
    do {
      depth += content_[position_] == '<';
      depth -= content_[position_] == '>';
      ++position_;
    } while (depth > 0 && position_ < content_.size());
    if (depth > 0)
      fail(start, "this HTML string is not closed");
    tokens_.push_back({TokenKind::Identifier, std::string(content_.substr(start, position_ - start)), start});
  }

  std::string_view content_;
  const std::string &file_;
  size_t position_ = 0;
  std::vector<DotToken> tokens_;
};

} // namespace

std::vector<DotToken> tokenizeDot(std::string_view content, const std::string &file) {
  return Tokenizer(content, file).run();
}

} // namespace algebras
