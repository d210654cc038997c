#include "algebras/table/table_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace algebras {

namespace {

using nlohmann::json;
using Token = JsonText::Token;

constexpr std::size_t kLongestName = 65536;
// Of a coefficient, in characters: numbers of a million digits are multiplied in milliseconds.
constexpr std::size_t kLongestCoefficient = 1000000;

enum class Key { Name, Field, Dimension, Constants, Identity, Comment, Expect, Reason, Source };
constexpr std::array<std::string_view, 9> kKeys = {"name",    "field",  "dimension", "constants", "identity",
                                                   "comment", "expect", "reason",    "source"};
constexpr const char *kEntryForm = "[i, j, k, \"num/den\"] is needed";

// Takes the events of the parser; says where in the document the next one belongs.
class DocumentReader {
public:
  explicit DocumentReader(JsonText &text) : text_(text) {}
  TableDocument take() && { return std::move(document_); }

  // The interface of nlohmann::json_sax.
  bool null() { return scalar(Scalar{Token::Literal, Scalar::Null}); }
  bool boolean(bool) { return scalar(Scalar{Token::Literal, Scalar::Other}); }
  bool number_integer(json::number_integer_t value) {
    return scalar(Scalar{Token::Number, Scalar::Integer, value});
  }
  bool number_unsigned(json::number_unsigned_t value) {
    if (value > static_cast<json::number_unsigned_t>(INT64_MAX))
      return scalar(Scalar{Token::Number, Scalar::LongInteger});
    return scalar(Scalar{Token::Number, Scalar::Integer, static_cast<std::int64_t>(value)});
  }
  bool number_float(json::number_float_t, const std::string &digits) {
    bool integer = digits.find_first_not_of("0123456789", digits[0] == '-') == std::string::npos;
    return scalar(Scalar{Token::Number, integer ? Scalar::LongInteger : Scalar::Other});
  }
  bool string(const std::string &value) { return scalar(Scalar{Token::String, Scalar::String, 0, &value}); }
  bool binary(const json::binary_t &) { return false; } // not in JSON
  bool start_object(std::size_t) {
    if (place_ == Place::Document)
      place_ = Place::Keys;
    else
      open("an object");
    return true;
  }
  bool end_object() {
    if (place_ == Place::Notes)
      close();
    else
      document_.end = text_.offset(Token::Bracket);
    return true;
  }
  bool start_array(std::size_t) {
    if (place_ == Place::Value && key_ == Key::Constants) {
      document_.constants.emplace();
      // Every entry opens a bracket: no more memory is asked for than the text accounts for.
      std::string_view text = text_.text();
      document_.constants->reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '[')));
      place_ = Place::Constants;
    } else if (place_ == Place::Constants) {
      entry_offset_ = text_.offset(Token::Bracket);
      part_ = 0;
      place_ = Place::Entry;
    } else if (place_ == Place::Value && key_ == Key::Identity) {
      document_.identity.emplace();
      document_.identity->offset = text_.offset(Token::Bracket);
      place_ = Place::Identity;
    } else {
      open("a list");
    }
    return true;
  }
  bool end_array() {
    if (place_ == Place::Notes) {
      close();
    } else if (place_ == Place::Entry) {
      if (part_ != 4)
        refuse(entry_offset_,
               fmt::format("{} is {}; {}", entryName(), text_.excerpt(entry_offset_), kEntryForm));
      document_.constants->push_back(std::move(constant_));
      place_ = Place::Constants;
    } else {
      place_ = Place::Keys;
    }
    return true;
  }
  bool key(const std::string &name) {
    if (place_ == Place::Notes)
      return true;
    std::size_t offset = text_.offset(Token::String);
    auto known = std::find(kKeys.begin(), kKeys.end(), name);
    if (known == kKeys.end())
      refuse(offset, fmt::format("key {} means nothing in a table", text_.excerpt(offset)),
             "the keys are name, field, dimension, constants and identity");
    std::size_t index = static_cast<std::size_t>(known - kKeys.begin());
    if (key_offsets_[index])
      refuse(offset, fmt::format("key \"{}\" is given twice", name),
             fmt::format("it is given first in line {}", text_.locate(*key_offsets_[index]).line));
    key_offsets_[index] = offset;
    key_ = static_cast<Key>(index);
    place_ = Place::Value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string &, const json::exception &error) {
    text_.refuseSyntax(position, error);
  }

private:
  enum class Place { Document, Keys, Value, Constants, Entry, Identity, Notes };

  struct Scalar {
    enum Kind { Null, Integer, LongInteger, String, Other }; // LongInteger: beyond 64 bits
    Token token;
    Kind kind;
    std::int64_t integer = 0;
    const std::string *string = nullptr;
  };

  [[noreturn]] void refuse(std::size_t offset, std::string message, std::string hint = {}) const {
    throw InputError(std::move(message), text_.locate(offset)).hint(std::move(hint));
  }
  [[noreturn]] void refuse(const Scalar &scalar, const std::string &what, const char *needed) const {
    std::size_t offset = text_.offset(scalar.token);
    std::string shown(text_.bytes(scalar.token).substr(0, 60));
    refuse(offset, fmt::format("{} is {}{}", what, shown, needed));
  }
  std::string entryName() const { return fmt::format("constants[{}]", document_.constants->size()); }
  std::string partName() const { return fmt::format("{}[{}]", entryName(), part_); }

  bool scalar(const Scalar &value) {
    switch (place_) {
    case Place::Entry:
      entryPart(value);
      break;
    case Place::Identity:
      document_.identity->value.push_back(
          coefficient(value, [&] { return fmt::format("identity[{}]", document_.identity->value.size()); }));
      break;
    case Place::Value:
      topLevel(value);
      place_ = Place::Keys;
      break;
    case Place::Constants:
      refuse(value, entryName(), fmt::format("; {}", kEntryForm).c_str());
    case Place::Document:
      refuseDocument(text_.offset(value.token));
    case Place::Keys: // the grammar has a key here
    case Place::Notes:
      break;
    }
    return true;
  }

  void entryPart(const Scalar &value) {
    if (part_ < 3)
      (part_ == 0   ? constant_.i
       : part_ == 1 ? constant_.j
                    : constant_.k) = integer(value, [&] { return partName(); });
    else if (part_ == 3)
      constant_.value = coefficient(value, [&] { return partName(); });
    else
      refuse(text_.offset(value.token),
             fmt::format("{} has more than four parts; {}", entryName(), kEntryForm));
    ++part_;
  }

  void topLevel(const Scalar &value) {
    switch (key_) {
    case Key::Name:
      if (value.kind != Scalar::String)
        refuse(value, "name", "; a string is needed");
      if (value.string->size() > kLongestName)
        refuse(text_.offset(value.token),
               fmt::format("the name is {} bytes long; the limit is {}", value.string->size(), kLongestName));
      if (std::any_of(value.string->begin(), value.string->end(),
                      [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }))
        refuse(text_.offset(value.token), "the name has a control character");
      document_.name = *value.string;
      break;
    case Key::Field:
      if (value.kind != Scalar::String)
        refuse(value, "field", "; \"Q\" or \"GF(p)\" is needed");
      document_.field = {*value.string, text_.offset(value.token)};
      break;
    case Key::Dimension:
      document_.dimension = {integer(value, [] { return std::string("dimension"); }),
                             text_.offset(value.token)};
      break;
    case Key::Constants:
      refuse(value, "constants", "; a list of [i, j, k, \"num/den\"] is needed");
    case Key::Identity:
      if (value.kind != Scalar::Null)
        refuse(value, "identity", "; a list of coefficients is needed");
      break;
    case Key::Comment:
    case Key::Expect:
    case Key::Reason:
    case Key::Source:
      break;
    }
  }

  template <typename Name> std::int64_t integer(const Scalar &value, Name name) const {
    if (value.kind == Scalar::Integer)
      return value.integer;
    refuse(value, name(),
           value.kind == Scalar::LongInteger ? ", which does not fit in 64 bits" : "; an integer is needed");
  }

  template <typename Name> Rational coefficient(const Scalar &value, Name name) const {
    if (value.kind == Scalar::Integer)
      return Rational(value.integer);
    if (value.kind != Scalar::String && value.kind != Scalar::LongInteger)
      refuse(value, name(), "; a string \"num/den\" or an integer is needed");
    std::string_view digits = value.kind == Scalar::String ? *value.string : text_.bytes(value.token);
    if (digits.size() > kLongestCoefficient)
      refuse(text_.offset(value.token), fmt::format("{} is {} characters long; the limit is {}", name(),
                                                    digits.size(), kLongestCoefficient));
    try {
      return Rational::parse(digits);
    } catch (InputError &error) {
      refuse(text_.offset(value.token), fmt::format("{}: {}", name(), error.what()), error.hint());
    }
  }

  [[noreturn]] void refuseDocument(std::size_t offset) const {
    refuse(offset, "a table is a JSON object",
           "{\"field\": \"Q\", \"dimension\": 1, \"constants\": [[0,0,0,\"1\"]]}");
  }

  // A list or an object where a table has none.
  void open(const char *what) {
    std::size_t offset = text_.offset(Token::Bracket);
    switch (place_) {
    case Place::Notes:
      ++depth_;
      return;
    case Place::Document:
      refuseDocument(offset);
    case Place::Constants:
      refuse(offset, fmt::format("{} is {}; {}", entryName(), what, kEntryForm));
    case Place::Entry:
      if (part_ > 3)
        refuse(offset, fmt::format("{} has more than four parts; {}", entryName(), kEntryForm));
      refuse(offset, fmt::format("{} is {}; {} is needed", partName(), what,
                                 part_ < 3 ? "an integer" : "a string \"num/den\" or an integer"));
    case Place::Identity:
      refuse(offset, fmt::format("identity[{}] is {}; a string \"num/den\" or an integer is needed",
                                 document_.identity->value.size(), what));
    case Place::Keys: // the grammar has a key here
      return;
    case Place::Value:
      break;
    }
    switch (key_) {
    case Key::Name:
      refuse(offset, fmt::format("name is {}; a string is needed", what));
    case Key::Field:
      refuse(offset, fmt::format("field is {}; \"Q\" or \"GF(p)\" is needed", what));
    case Key::Dimension:
      refuse(offset, fmt::format("dimension is {}; an integer is needed", what));
    case Key::Constants:
      refuse(offset, fmt::format("constants is {}; a list of [i, j, k, \"num/den\"] is needed", what));
    case Key::Identity:
      refuse(offset, fmt::format("identity is {}; a list of coefficients is needed", what));
    case Key::Comment:
    case Key::Expect:
    case Key::Reason:
    case Key::Source:
      place_ = Place::Notes;
      depth_ = 1;
    }
  }
  void close() {
    if (--depth_ == 0)
      place_ = Place::Keys;
  }

  JsonText &text_;
  TableDocument document_;
  Place place_ = Place::Document;
  Key key_ = Key::Name;
  std::array<std::optional<std::size_t>, kKeys.size()> key_offsets_;
  std::int64_t depth_ = 0; // inside notes
  // The entry at hand.
  Constant constant_;
  int part_ = 0;
  std::size_t entry_offset_ = 0;
};

} // namespace

TableDocument readTableDocument(JsonText &text) {
  DocumentReader reader(text);
  text.read(reader);
  return std::move(reader).take();
}

} // namespace algebras
