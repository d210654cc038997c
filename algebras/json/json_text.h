// A JSON text that is read as a stream of events, and knows where the event at hand stands.
#pragma once

#include "algebras/error.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace algebras {

// Keeps a view of the text. Reading takes the memory of one token.
class JsonText {
public:
  JsonText(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // Feeds the events to a SAX handler of nlohmann::json until it returns false. InputError for what is not
  // JSON, with its place, when the handler's parse_error calls refuseSyntax.
  template <typename Handler> void read(Handler &handler);
  [[noreturn]] void refuseSyntax(size_t position, const nlohmann::json::exception &error) const;

  // What kind of token the event at hand is about.
  enum class Token { Bracket, String, Number, Literal };
  // Its bytes, while the handler has the event.
  std::string_view bytes(Token token) const;
  size_t offset(Token token) const { return static_cast<size_t>(bytes(token).data() - text_.data()); }
  // From the start of an earlier token to what has been read; no more than 60 bytes.
  std::string excerpt(size_t start) const;

  std::string_view text() const { return text_; }
  const std::string &file() const { return file_; }
  SourceLocation locate(size_t offset) const { return algebras::locate(text_, offset, file_); }

private:
  // Says on every step how far it has come: the parser has no other way to tell.
  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    Iterator(const char *at, const char **reached) : at_(at), reached_(reached) {}
    reference operator*() const { return *at_; }
    Iterator &operator++() {
      *reached_ = ++at_;
      return *this;
    }
    bool operator==(const Iterator &other) const { return at_ == other.at_; }
    bool operator!=(const Iterator &other) const { return at_ != other.at_; }

  private:
    const char *at_;
    const char **reached_;
  };

  void refuseZeroBytes() const;

  std::string_view text_;
  std::string file_;
  const char *reached_ = nullptr; // one past the last byte that the parser has taken
};

template <typename Handler> void JsonText::read(Handler &handler) {
  refuseZeroBytes();
  reached_ = text_.data();
  const char *end = text_.data() + text_.size();
  nlohmann::json::sax_parse(Iterator(text_.data(), &reached_), Iterator(end, &reached_), &handler);
}

} // namespace algebras
