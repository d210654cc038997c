#include "algebras/table/table_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace algebras {

namespace {

enum class Key { Name, Field, Dimension, Constants, Identity, Comment, Expect, Reason, Source };
constexpr std::array<std::string_view, 9> keys = {"name",    "field",  "dimension", "constants", "identity",
                                                  "comment", "expect", "reason",    "source"};
constexpr const char *entry_form = "[i, j, k, \"num/den\"] is needed";

// Takes the events of the parser; says where in the document the next one belongs.
class DocumentReader : public JsonReader<DocumentReader> {
public:
  explicit DocumentReader(JsonText &text) : JsonReader(text) {}
  TableDocument take() && { return std::move(document_); }

  // The interface of nlohmann::json_sax, the rest of it.
  bool start_object(size_t) {
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
      document_.end = source.offset(Token::Bracket);
    return true;
  }
  bool start_array(size_t) {
    if (place_ == Place::Value && key_ == Key::Constants) {
      document_.constants.emplace();
      // Every entry opens a bracket: no more memory is asked for than the text accounts for.
      std::string_view text = source.text();
      document_.constants->reserve(static_cast<size_t>(std::count(text.begin(), text.end(), '[')));
      place_ = Place::Constants;
    } else if (place_ == Place::Constants) {
      entry_offset_ = source.offset(Token::Bracket);
      part_ = 0;
      place_ = Place::Entry;
    } else if (place_ == Place::Value && key_ == Key::Identity) {
      document_.identity.emplace();
      document_.identity->offset = source.offset(Token::Bracket);
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
               fmt::format("{} is {}; {}", entryName(), source.excerpt(entry_offset_), entry_form));
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
    size_t index = keyOf(keys, key_offsets_, name, "in a table",
                         "the keys are name, field, dimension, constants and identity");
    key_ = static_cast<Key>(index);
    place_ = Place::Value;
    return true;
  }
  bool scalar(const JsonScalar &value) {
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
      refuse(value, entryName(), fmt::format("; {}", entry_form).c_str());
    case Place::Document:
      refuseDocument(source.offset(value.token));
    case Place::Keys: // the grammar has a key here
    case Place::Notes:
      break;
    }
    return true;
  }

private:
  enum class Place { Document, Keys, Value, Constants, Entry, Identity, Notes };

  std::string entryName() const { return fmt::format("constants[{}]", document_.constants->size()); }
  std::string partName() const { return fmt::format("{}[{}]", entryName(), part_); }

  void entryPart(const JsonScalar &value) {
    if (part_ < 3)
      (part_ == 0   ? constant_.i
       : part_ == 1 ? constant_.j
                    : constant_.k) = integer(value, [&] { return partName(); });
    else if (part_ == 3)
      constant_.value = coefficient(value, [&] { return partName(); });
    else
      refuse(source.offset(value.token),
             fmt::format("{} has more than four parts; {}", entryName(), entry_form));
    ++part_;
  }

  void topLevel(const JsonScalar &value) {
    switch (key_) {
    case Key::Name:
      document_.name = nameOf(value, "name");
      break;
    case Key::Field:
      document_.field = fieldOf(value);
      break;
    case Key::Dimension:
      document_.dimension = {integer(value, [] { return std::string("dimension"); }),
                             source.offset(value.token)};
      break;
    case Key::Constants:
      refuse(value, "constants", "; a list of [i, j, k, \"num/den\"] is needed");
    case Key::Identity:
      if (value.kind != JsonScalar::Null)
        refuse(value, "identity", "; a list of coefficients is needed");
      break;
    case Key::Comment:
    case Key::Expect:
    case Key::Reason:
    case Key::Source:
      break;
    }
  }

  [[noreturn]] void refuseDocument(size_t offset) const {
    refuse(offset, "a table is a JSON object",
           "{\"field\": \"Q\", \"dimension\": 1, \"constants\": [[0,0,0,\"1\"]]}");
  }

  // A list or an object where a table has none.
  void open(const char *what) {
    size_t offset = source.offset(Token::Bracket);
    switch (place_) {
    case Place::Notes:
      ++depth_;
      return;
    case Place::Document:
      refuseDocument(offset);
    case Place::Constants:
      refuse(offset, fmt::format("{} is {}; {}", entryName(), what, entry_form));
    case Place::Entry:
      if (part_ > 3)
        refuse(offset, fmt::format("{} has more than four parts; {}", entryName(), entry_form));
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

  TableDocument document_;
  Place place_ = Place::Document;
  Key key_ = Key::Name;
  std::array<std::optional<size_t>, keys.size()> key_offsets_;
  int64_t depth_ = 0; // inside notes
  // The entry at hand.
  Constant constant_;
  int part_ = 0;
  size_t entry_offset_ = 0;
};

} // namespace

TableDocument readTableDocument(JsonText &text) {
  DocumentReader reader(text);
  text.read(reader);
  return std::move(reader).take();
}

} // namespace algebras
