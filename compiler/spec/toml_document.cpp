#include "compiler/spec/toml_document.h"

#include "compiler/spec/closest.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

const char *describe(const toml::node &node) {
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
    return "an integer";
  case toml::node_type::floating_point:
    return "a number with a fraction";
  case toml::node_type::boolean:
    return "a boolean";
  case toml::node_type::date:
  case toml::node_type::time:
  case toml::node_type::date_time:
    return "a date or time";
  case toml::node_type::none:
    break;
  }
  return "nothing";
}

// One past the string that begins `at`: in quotes or apostrophes, one of them or three.
size_t endOfTomlString(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"', lines = text.substr(at, 3) == std::string(3, quote);
  size_t end = at + (lines ? 3 : 1);
  while (end < text.size()) {
    if (escapes && text[end] == '\\') {
      end = std::min(end + 2, text.size());
    } else if (text[end] == '\n' && !lines) {
      return end; // it is not closed
    } else if (text[end] != quote) {
      ++end;
    } else if (!lines) {
      return end + 1;
    } else if (text.substr(end, 3) != std::string(3, quote)) {
      ++end;
    } else {
      // Before the three that close it may stand two more.
      for (end += 3; end < text.size() && text[end] == quote;)
        ++end;
      return end;
    }
  }
  return end;
}

} // namespace

namespace {

// toml++ recurses over what is nested, and so do its destructors. A spec has two levels of brackets and keys
// of one part; what is far beyond is no spec. Strings and comments are passed over as TOML reads them, so
// that nothing in one counts, and what stands behind a fault does not matter: the reader stops there.
void requireShallow(const TomlText &toml) {
  constexpr size_t maximum_depth = 32;
  const std::string_view text = toml.text;
  size_t brackets = 0, dots = 0;
  auto refuse = [&](size_t at, const char *what) {
    throw algebras::InputError(fmt::format("{} than {}", what, maximum_depth),
                               algebras::locate(text, at, toml.file));
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      at = endOfTomlString(text, at) - 1; // a key may have quoted parts
    } else if (c == '[' || c == '{') {
      dots = 0;
      if (++brackets > maximum_depth)
        refuse(at, "brackets are nested deeper");
    } else if (c == ']' || c == '}') {
      dots = 0;
      brackets -= brackets > 0 ? 1 : 0;
    } else if (c == '.') {
      if (++dots >= maximum_depth)
        refuse(at, "a key of more parts");
    } else if (c == '\n' || c == ',' || c == '=') {
      dots = 0;
    }
  }
}

} // namespace

// toml++ counts code points within a line, our places count bytes.
algebras::SourceLocation TomlText::at(const toml::source_position &position) const {
  size_t offset = 0;
  for (toml::source_index line = 1; line < position.line; ++line) {
    size_t end = text.find('\n', offset);
    if (end == std::string_view::npos)
      break;
    offset = end + 1;
  }
  for (toml::source_index column = 1; column < position.column && offset < text.size(); ++column) {
    if (text[offset] == '\n')
      break;
    ++offset;
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xc0) == 0x80)
      ++offset;
  }
  return algebras::locate(text, offset, file);
}

toml::table parseToml(const TomlText &text) {
  requireShallow(text);
  try {
    return toml::parse(text.text, std::string_view(text.file));
  } catch (const toml::parse_error &error) {
    throw algebras::InputError(std::string(error.description()), text.at(error.source()))
        .hint("the file is read as TOML, see https://toml.io");
  }
}

TomlSection::TomlSection(const TomlText &text, const toml::table &table_, std::string name)
    : text_(text), table_(table_), name_(std::move(name)) {}

void TomlSection::refuseUnknownKeys(
    const std::vector<std::string_view> &known,
    const std::vector<std::pair<std::string_view, std::string_view>> &elsewhere) const {
  std::string place = name_.empty() ? "at the top of the file" : fmt::format("in [{}]", name_);
  for (auto &&[key, value] : table_) {
    std::string_view word = key.str();
    if (std::find(known.begin(), known.end(), word) != known.end())
      continue;
    algebras::InputError error(fmt::format("unknown key '{}' {}", word, place), text_.at(key.source()));
    auto other =
        std::find_if(elsewhere.begin(), elsewhere.end(), [&](auto &pair) { return pair.first == word; });
    if (other != elsewhere.end())
      throw error.hint(fmt::format("'{}' belongs in [{}]", word, other->second));
    if (auto near = closest(word, known))
      throw error.hint(fmt::format("did you mean '{}'?", *near));
    throw error.hint(fmt::format("known keys: {}", fmt::join(known, ", ")));
  }
}

algebras::SourceLocation TomlSection::whereKey(std::string_view key) const {
  auto found = table_.find(key);
  return found == table_.end() ? where() : text_.at(found->first.source());
}

void TomlSection::wrongType(std::string_view key, const toml::node &node, const char *wanted) const {
  throw algebras::InputError(fmt::format("'{}' must be {}, but this is {}", key, wanted, describe(node)),
                             text_.at(node.source()));
}

std::optional<Given<std::string>> TomlSection::string(std::string_view key) const {
  const toml::node *node = table_.get(key);
  if (!node)
    return std::nullopt;
  if (!node->is_string())
    wrongType(key, *node, "a string");
  return Given<std::string>{node->ref<std::string>(), std::string(key), text_.at(node->source())};
}

std::optional<Given<int64_t>> TomlSection::integer(std::string_view key) const {
  const toml::node *node = table_.get(key);
  if (!node)
    return std::nullopt;
  if (!node->is_integer())
    wrongType(key, *node, "an integer");
  return Given<int64_t>{node->ref<int64_t>(), std::string(key), text_.at(node->source())};
}

std::optional<Given<bool>> TomlSection::boolean(std::string_view key) const {
  const toml::node *node = table_.get(key);
  if (!node)
    return std::nullopt;
  if (!node->is_boolean())
    wrongType(key, *node, "true or false");
  return Given<bool>{node->ref<bool>(), std::string(key), text_.at(node->source())};
}

std::optional<Given<std::vector<int64_t>>> TomlSection::integers(std::string_view key) const {
  const toml::node *node = table_.get(key);
  if (!node)
    return std::nullopt;
  const toml::array *array = node->as_array();
  if (!array)
    wrongType(key, *node, "an array of integers");
  Given<std::vector<int64_t>> given{{}, std::string(key), text_.at(node->source())};
  for (const toml::node &element : *array) {
    if (!element.is_integer())
      wrongType(key, element, "an array of integers");
    given.value.push_back(element.ref<int64_t>());
  }
  return given;
}

std::optional<Given<std::vector<Given<std::pair<int64_t, int64_t>>>>>
TomlSection::integerPairs(std::string_view key) const {
  const char *wanted = "an array of pairs of integers, like [[0, 1], [1, 2]]";
  const toml::node *node = table_.get(key);
  if (!node)
    return std::nullopt;
  const toml::array *array = node->as_array();
  if (!array)
    wrongType(key, *node, wanted);
  Given<std::vector<Given<std::pair<int64_t, int64_t>>>> given{
      {}, std::string(key), text_.at(node->source())};
  for (const toml::node &element : *array) {
    const toml::array *pair = element.as_array();
    if (!pair || pair->size() != 2 || !pair->get(0)->is_integer() || !pair->get(1)->is_integer())
      throw algebras::InputError(fmt::format("'{}' must be {}", key, wanted), text_.at(element.source()));
    given.value.push_back({{pair->get(0)->ref<int64_t>(), pair->get(1)->ref<int64_t>()},
                           std::string(key),
                           text_.at(element.source())});
  }
  return given;
}

std::optional<TomlSection> TomlSection::section(std::string_view key) const {
  const toml::node *node = table_.get(key);
  if (!node)
    return std::nullopt;
  const toml::table *inner = node->as_table();
  if (!inner)
    wrongType(key, *node, "a table");
  return TomlSection(text_, *inner, std::string(key));
}

} // namespace compiler
