#include "algebras/rank/algorithm_document.h"

#include <string_view>

namespace algebras {

namespace {

enum class Key { Name, Rule, Field, Dimension, Products, Comment, Source };
constexpr std::array<std::string_view, 7> keys = {"name",     "rule",    "field", "dimension",
                                                  "products", "comment", "source"};
constexpr const char *term_form = "[index, \"num/den\"] is needed";
constexpr const char *vector_form = "a list of [index, \"num/den\"] is needed";
constexpr const char *product_form = "an object with alpha, beta and gamma is needed";

class DocumentReader : public JsonReader<DocumentReader> {
public:
  explicit DocumentReader(JsonText &text) : JsonReader(text) {}
  AlgorithmDocument take() && { return std::move(document_); }

  // The interface of nlohmann::json_sax, the rest of it.
  bool start_object(size_t) {
    if (place_ == Place::Document) {
      place_ = Place::Keys;
    } else if (place_ == Place::Products) {
      offset_ = source.offset(Token::Bracket);
      document_.products->emplace_back();
      vector_offsets_ = {};
      place_ = Place::ProductKeys;
    } else {
      open("an object");
    }
    return true;
  }
  bool end_object() {
    switch (place_) {
    case Place::Notes:
      close();
      break;
    case Place::ProductKeys:
      for (size_t vector = 0; vector < product_keys.size(); ++vector)
        if (!vector_offsets_[vector])
          refuse(offset_, fmt::format("{} has no {}; {}", productName(), product_keys[vector], product_form));
      place_ = Place::Products;
      break;
    default:
      document_.end = source.offset(Token::Bracket);
    }
    return true;
  }
  bool start_array(size_t) {
    if (place_ == Place::Value && key_ == Key::Products) {
      document_.products.emplace();
      place_ = Place::Products;
    } else if (place_ == Place::Vector && !in_vector_) {
      in_vector_ = true;
    } else if (place_ == Place::Vector) {
      offset_of_term_ = source.offset(Token::Bracket);
      part_ = 0;
      place_ = Place::Term;
    } else {
      open("a list");
    }
    return true;
  }
  bool end_array() {
    switch (place_) {
    case Place::Notes:
      close();
      break;
    case Place::Term:
      if (part_ != 2)
        refuse(offset_of_term_,
               fmt::format("{} is {}; {}", termName(), source.excerpt(offset_of_term_), term_form));
      terms().push_back(std::move(term_));
      place_ = Place::Vector;
      break;
    case Place::Vector:
      place_ = Place::ProductKeys;
      break;
    default:
      place_ = Place::Keys;
    }
    return true;
  }
  bool key(const std::string &name) {
    if (place_ == Place::Notes)
      return true;
    if (place_ == Place::ProductKeys) {
      vector_ = keyOf(product_keys, vector_offsets_, name, fmt::format("in {}", productName()),
                      "the keys are alpha, beta and gamma");
      in_vector_ = false;
      place_ = Place::Vector;
      return true;
    }
    size_t index = keyOf(keys, key_offsets_, name, "in an algorithm",
                         "the keys are name, rule, field, dimension and products");
    key_ = static_cast<Key>(index);
    place_ = Place::Value;
    return true;
  }

  bool scalar(const JsonScalar &value) {
    switch (place_) {
    case Place::Term:
      termPart(value);
      break;
    case Place::Value:
      topLevel(value);
      place_ = Place::Keys;
      break;
    case Place::Vector:
      if (in_vector_)
        refuse(value, termName(), fmt::format("; {}", term_form).c_str());
      refuse(value, vectorName(), fmt::format("; {}", vector_form).c_str());
    case Place::Products:
      refuse(value, fmt::format("products[{}]", document_.products->size()),
             fmt::format("; {}", product_form).c_str());
    case Place::Document:
      refuseDocument(source.offset(value.token));
    case Place::Keys: // the grammar has a key here
    case Place::ProductKeys:
    case Place::Notes:
      break;
    }
    return true;
  }

private:
  enum class Place { Document, Keys, Value, Products, ProductKeys, Vector, Term, Notes };

  std::string productName() const { return fmt::format("products[{}]", document_.products->size() - 1); }
  std::string vectorName() const { return fmt::format("{}.{}", productName(), product_keys[vector_]); }
  std::vector<AlgorithmDocument::Term> &terms() { return document_.products->back()[vector_]; }
  std::string termName() const {
    return fmt::format("{}[{}]", vectorName(), document_.products->back()[vector_].size());
  }

  void termPart(const JsonScalar &value) {
    auto name = [&] { return fmt::format("{}[{}]", termName(), part_); };
    if (part_ == 0) {
      term_.index_offset = source.offset(value.token);
      term_.index = integer(value, name);
    } else if (part_ == 1) {
      term_.value_offset = source.offset(value.token);
      term_.value = coefficient(value, name);
    } else {
      refuse(source.offset(value.token),
             fmt::format("{} has more than two parts; {}", termName(), term_form));
    }
    ++part_;
  }

  void topLevel(const JsonScalar &value) {
    switch (key_) {
    case Key::Name:
      document_.name = nameOf(value, "name");
      break;
    case Key::Rule:
      document_.rule = nameOf(value, "rule");
      break;
    case Key::Field:
      document_.field = fieldOf(value);
      break;
    case Key::Dimension:
      document_.dimension = {integer(value, [] { return std::string("dimension"); }),
                             source.offset(value.token)};
      break;
    case Key::Products:
      refuse(value, "products", "; a list is needed");
    case Key::Comment:
    case Key::Source:
      break;
    }
  }

  [[noreturn]] void refuseDocument(size_t offset) const {
    refuse(offset, "an algorithm is a JSON object",
           "{\"field\": \"Q\", \"dimension\": 1, \"products\": [{\"alpha\": [[0, \"1\"]], ...}]}");
  }

  // A list or an object where an algorithm has none.
  void open(const char *what) {
    size_t offset = source.offset(Token::Bracket);
    switch (place_) {
    case Place::Notes:
      ++depth_;
      return;
    case Place::Document:
      refuseDocument(offset);
    case Place::Products:
      refuse(offset, fmt::format("products[{}] is {}; {}", document_.products->size(), what, product_form));
    case Place::Vector:
      if (in_vector_)
        refuse(offset, fmt::format("{} is {}; {}", termName(), what, term_form));
      refuse(offset, fmt::format("{} is {}; {}", vectorName(), what, vector_form));
    case Place::Term:
      refuse(offset, fmt::format("{} has {} inside; {}", termName(), what, term_form));
    case Place::Keys: // the grammar has a key here
    case Place::ProductKeys:
      return;
    case Place::Value:
      break;
    }
    if (key_ != Key::Comment && key_ != Key::Source)
      refuse(offset, fmt::format("{} is {}; {} is needed", keys[static_cast<size_t>(key_)], what,
                                 key_ == Key::Products    ? "a list"
                                 : key_ == Key::Dimension ? "an integer"
                                                          : "a string"));
    place_ = Place::Notes;
    depth_ = 1;
  }
  void close() {
    if (--depth_ == 0)
      place_ = Place::Keys;
  }

  AlgorithmDocument document_;
  Place place_ = Place::Document;
  Key key_ = Key::Name;
  std::array<std::optional<size_t>, keys.size()> key_offsets_;
  int64_t depth_ = 0; // inside notes
  // The product at hand, its vector, its term.
  size_t offset_ = 0, vector_ = 0, offset_of_term_ = 0;
  std::array<std::optional<size_t>, product_keys.size()> vector_offsets_;
  bool in_vector_ = false; // its list has begun
  AlgorithmDocument::Term term_;
  int part_ = 0;
};

} // namespace

AlgorithmDocument readAlgorithmDocument(JsonText &text) {
  DocumentReader reader(text);
  text.read(reader);
  return std::move(reader).take();
}

} // namespace algebras
