#include "algebras/table/entry_places.h"

namespace algebras {

namespace {

using nlohmann::json;
using Token = JsonText::Token;

// Follows the top-level key and the depth of brackets below it.
class PlaceReader {
public:
  PlaceReader(JsonText &text, const std::function<bool(const EntryPlace &)> *take, int64_t coefficient)
      : text_(text), take_(take), coefficient_(coefficient) {}

  size_t coefficientOffset() const { return coefficient_offset_; }

  // The interface of nlohmann::json_sax; false ends the reading.
  bool null() { return scalar(Token::Literal); }
  bool boolean(bool) { return scalar(Token::Literal); }
  bool number_integer(json::number_integer_t value) { return scalar(Token::Number, value); }
  bool number_unsigned(json::number_unsigned_t value) {
    return scalar(Token::Number, static_cast<int64_t>(value));
  }
  bool number_float(json::number_float_t, const std::string &) { return scalar(Token::Number); }
  bool string(const std::string &) { return scalar(Token::String); }
  bool binary(const json::binary_t &) { return false; }
  bool start_object(size_t) { return ++depth_, true; }
  bool end_object() { return --depth_, true; }
  bool start_array(size_t) {
    if (++depth_ == entry_depth) {
      entry_.offset = text_.offset(Token::Bracket);
      part_ = 0;
    }
    return true;
  }
  bool end_array() {
    bool done = depth_ == entry_depth && key_ == "constants" && take_ && (*take_)(entry_);
    entry_.index += depth_ == entry_depth && key_ == "constants";
    --depth_;
    return !done;
  }
  bool key(const std::string &name) {
    if (depth_ == 1)
      key_ = name;
    return true;
  }
  bool parse_error(size_t position, const std::string &, const json::exception &error) {
    text_.refuseSyntax(position, error);
  }

private:
  static constexpr int64_t entry_depth = 3; // document, list of entries, entry

  bool scalar(Token token, int64_t value = 0) {
    if (depth_ == entry_depth && part_ < entry_.parts.size()) {
      if (part_ < entry_.slots.size())
        entry_.slots[part_] = value;
      entry_.parts[part_++] = text_.offset(token);
    } else if (depth_ == entry_depth - 1 && key_ == "identity" && coefficient_-- == 0) {
      coefficient_offset_ = text_.offset(token);
      return false;
    }
    return true;
  }

  JsonText &text_;
  const std::function<bool(const EntryPlace &)> *take_;
  int64_t coefficient_;
  size_t coefficient_offset_ = 0;
  int64_t depth_ = 0;
  std::string key_;
  EntryPlace entry_;
  size_t part_ = 0;
};

} // namespace

void visitEntries(JsonText &text, const std::function<bool(const EntryPlace &)> &take) {
  PlaceReader reader(text, &take, -1);
  text.read(reader);
}

size_t identityPlace(JsonText &text, int64_t index) {
  PlaceReader reader(text, nullptr, index);
  text.read(reader);
  return reader.coefficientOffset();
}

} // namespace algebras
