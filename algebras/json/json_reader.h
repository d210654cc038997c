// What readers of JSON documents with places have in common.
#pragma once

#include "algebras/json/json_text.h"
#include "algebras/rational.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace algebras {

// A value and the offset of its first byte in the file.
template <typename Value> struct Written {
  Value value;
  size_t offset = 0;
};

// A value of a document that is no list and no object.
struct JsonScalar {
  enum Kind { Null, Integer, LongInteger, String, Other }; // LongInteger: beyond 64 bits
  JsonText::Token token;
  Kind kind;
  int64_t integer = 0;
  const std::string *string = nullptr;
};

// Takes the events of the parser. `Reader` derives from it and has scalar(const JsonScalar &), start_array,
// end_array, start_object, end_object and key; it keeps track of where in the document the next event
// belongs.
template <typename Reader> class JsonReader {
public:
  // The interface of nlohmann::json_sax.
  bool null() { return give({Token::Literal, JsonScalar::Null}); }
  bool boolean(bool) { return give({Token::Literal, JsonScalar::Other}); }
  bool number_integer(nlohmann::json::number_integer_t value) {
    return give({Token::Number, JsonScalar::Integer, value});
  }
  bool number_unsigned(nlohmann::json::number_unsigned_t value) {
    if (value > static_cast<nlohmann::json::number_unsigned_t>(INT64_MAX))
      return give({Token::Number, JsonScalar::LongInteger});
    return give({Token::Number, JsonScalar::Integer, static_cast<int64_t>(value)});
  }
  bool number_float(nlohmann::json::number_float_t, const std::string &digits) {
    bool integer = digits.find_first_not_of("0123456789", digits[0] == '-') == std::string::npos;
    return give({Token::Number, integer ? JsonScalar::LongInteger : JsonScalar::Other});
  }
  bool string(const std::string &value) { return give({Token::String, JsonScalar::String, 0, &value}); }
  bool binary(const nlohmann::json::binary_t &) { return false; } // not in JSON
  bool parse_error(size_t position, const std::string &, const nlohmann::json::exception &error) {
    source.refuseSyntax(position, error);
  }

protected:
  using Token = JsonText::Token;

  explicit JsonReader(JsonText &text) : source(text) {}

  [[noreturn]] void refuse(size_t offset, std::string message, std::string hint = {}) const {
    throw InputError(std::move(message), source.locate(offset)).hint(std::move(hint));
  }
  [[noreturn]] void refuse(const JsonScalar &scalar, const std::string &what, const char *needed) const {
    std::string shown(source.bytes(scalar.token).substr(0, 60));
    refuse(source.offset(scalar.token), fmt::format("{} is {}{}", what, shown, needed));
  }

  // `name` is called for the name of the value where it is refused.
  template <typename Name> int64_t integer(const JsonScalar &value, Name name) const {
    if (value.kind == JsonScalar::Integer)
      return value.integer;
    refuse(value, name(),
           value.kind == JsonScalar::LongInteger ? ", which does not fit in 64 bits"
                                                 : "; an integer is needed");
  }
  template <typename Name> Rational coefficient(const JsonScalar &value, Name name) const {
    if (value.kind == JsonScalar::Integer)
      return Rational(value.integer);
    if (value.kind != JsonScalar::String && value.kind != JsonScalar::LongInteger)
      refuse(value, name(), "; a string \"num/den\" or an integer is needed");
    std::string_view digits = value.kind == JsonScalar::String ? *value.string : source.bytes(value.token);
    if (digits.size() > longest_coefficient)
      refuse(source.offset(value.token), fmt::format("{} is {} characters long; the limit is {}", name(),
                                                     digits.size(), longest_coefficient));
    try {
      return Rational::parse(digits);
    } catch (InputError &error) {
      refuse(source.offset(value.token), fmt::format("{}: {}", name(), error.what()), error.hint());
    }
  }
  // Names are printed: no control characters, and no more bytes than one can read.
  std::string nameOf(const JsonScalar &value, const char *what) const {
    if (value.kind != JsonScalar::String)
      refuse(value, what, "; a string is needed");
    if (value.string->size() > longest_name)
      refuse(source.offset(value.token), fmt::format("the {} is {} bytes long; the limit is {}", what,
                                                     value.string->size(), longest_name));
    for (char byte : *value.string)
      if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f)
        refuse(source.offset(value.token), fmt::format("the {} has a control character", what));
    return *value.string;
  }

  // "Q" or "GF(p)", as it is written.
  Written<std::string> fieldOf(const JsonScalar &value) const {
    if (value.kind != JsonScalar::String)
      refuse(value, "field", "; \"Q\" or \"GF(p)\" is needed");
    return {*value.string, source.offset(value.token)};
  }

  // The number of a key among those that an object may have, which is refused where it is unknown (the
  // message ends with `where`) or has been given before. `offsets`: where the keys stand that have been
  // given.
  template <typename Names, typename Offsets>
  size_t keyOf(const Names &names, Offsets &offsets, const std::string &name, const std::string &where,
               const char *hint) const {
    size_t offset = source.offset(Token::String);
    auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
      refuse(offset, fmt::format("key {} means nothing {}", source.excerpt(offset), where), hint);
    auto index = static_cast<size_t>(known - names.begin());
    if (offsets[index])
      refuse(offset, fmt::format("key \"{}\" is given twice", name),
             fmt::format("it is given first in line {}", source.locate(*offsets[index]).line));
    offsets[index] = offset;
    return index;
  }

  JsonText &source;

private:
  // In characters: numbers of a million digits are multiplied in milliseconds.
  static constexpr size_t longest_coefficient = 1000000, longest_name = 65536;

  bool give(const JsonScalar &value) { return static_cast<Reader *>(this)->scalar(value); }
};

} // namespace algebras
