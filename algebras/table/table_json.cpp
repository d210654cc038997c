#include "algebras/error.h"
#include "algebras/read_file.h"
#include "algebras/table/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

namespace algebras {

namespace {

using nlohmann::json;

// What a value is, for error messages; never the whole of a long one.
std::string show(const json &value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

// Refuses objects that name a key twice: the library would keep the last one in silence.
class DuplicateKeyCheck {
public:
  bool operator()(int, json::parse_event_t event, json &parsed) {
    if (event == json::parse_event_t::object_start)
      keys_.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys_.pop_back();
    else if (event == json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second)
      throw InputError(fmt::format("key \"{}\" is given twice", parsed.get<std::string>()));
    return true;
  }

private:
  std::vector<std::set<std::string>> keys_;
};

json parseJson(std::string_view text, const std::string &file) {
  // The library takes a zero byte for the end of the text and would not look at what follows.
  if (std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw InputError("not JSON: byte 0x00 cannot stand here", locate(text, zero, file));
  try {
    return json::parse(
        text.begin(), text.end(),
        [check = DuplicateKeyCheck()](int depth, json::parse_event_t event, json &parsed) mutable {
          return check(depth, event, parsed);
        });
  } catch (const json::parse_error &error) {
    std::string message = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": keep what follows
    // the place.
    std::size_t colon = message.find(": ");
    if (colon != std::string::npos)
      message = message.substr(colon + 2);
    throw InputError("not JSON: " + message, locate(text, error.byte > 0 ? error.byte - 1 : 0, file));
  } catch (const json::out_of_range &) {
    throw InputError("a number is too large; write it as a string, \"num/den\"",
                     SourceLocation{file, 0, 0, {}});
  }
}

std::int64_t readIndex(const json &value, const std::string &what) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    throw InputError(fmt::format("{} is {}, which does not fit in 64 bits", what, show(value)));
  if (!value.is_number_integer())
    throw InputError(fmt::format("{} is {}; an integer is needed", what, show(value)));
  return value.get<std::int64_t>();
}

Rational readValue(const json &value, const std::string &what) {
  try {
    if (value.is_string())
      return Rational::parse(value.get_ref<const std::string &>());
    if (value.is_number_integer())
      return Rational::parse(value.dump());
  } catch (InputError &error) {
    throw InputError(fmt::format("{}: {}", what, error.what())).hint(error.hint());
  }
  throw InputError(fmt::format("{} is {}; a string \"num/den\" or an integer is needed", what, show(value)));
}

Constant readConstant(const json &entry, std::size_t index) {
  std::string what = fmt::format("constants[{}]", index);
  if (!entry.is_array() || entry.size() != 4)
    throw InputError(fmt::format("{} is {}; [i, j, k, \"num/den\"] is needed", what, show(entry)));
  Constant constant;
  constant.i = readIndex(entry[0], what + "[0]");
  constant.j = readIndex(entry[1], what + "[1]");
  constant.k = readIndex(entry[2], what + "[2]");
  constant.value = readValue(entry[3], what + "[3]");
  return constant;
}

const json &require(const json &document, const char *key, const char *example) {
  auto entry = document.find(key);
  if (entry == document.end())
    throw InputError(fmt::format("key \"{}\" is missing", key))
        .hint(fmt::format("a table needs {}", example));
  return *entry;
}

void refuseUnknownKeys(const json &document) {
  static const std::set<std::string> known = {"name",    "field",  "dimension", "constants", "identity",
                                              "comment", "expect", "reason",    "source"};
  for (const auto &[key, value] : document.items())
    if (!known.contains(key))
      throw InputError(fmt::format("key \"{}\" means nothing in a table", key.substr(0, 80)))
          .hint("the keys are name, field, dimension, constants and identity");
}

Table readDocument(const json &document, const std::string &file) {
  if (!document.is_object())
    throw InputError("a table is a JSON object")
        .hint("{\"field\": \"Q\", \"dimension\": 1, \"constants\": [[0,0,0,\"1\"]]}");
  refuseUnknownKeys(document);
  std::string name = std::filesystem::path(file).stem().string();
  if (auto entry = document.find("name"); entry != document.end()) {
    if (!entry->is_string())
      throw InputError(fmt::format("name is {}; a string is needed", show(*entry)));
    name = entry->get<std::string>();
  }
  Field field;
  if (auto entry = document.find("field"); entry != document.end()) {
    if (!entry->is_string())
      throw InputError(fmt::format("field is {}; \"Q\" or \"GF(p)\" is needed", show(*entry)));
    field = Field::parse(entry->get_ref<const std::string &>());
  }
  std::int64_t dimension = readIndex(require(document, "dimension", "\"dimension\": 4"), "dimension");
  const json &entries = require(document, "constants", "\"constants\": [[0, 0, 0, \"1/1\"], ...]");
  if (!entries.is_array())
    throw InputError(
        fmt::format("constants is {}; a list of [i, j, k, \"num/den\"] is needed", show(entries)));
  std::vector<Constant> constants;
  constants.reserve(entries.size());
  for (std::size_t index = 0; index < entries.size(); ++index)
    constants.push_back(readConstant(entries[index], index));

  std::optional<std::vector<Rational>> identity;
  if (auto entry = document.find("identity"); entry != document.end() && !entry->is_null()) {
    if (!entry->is_array())
      throw InputError(fmt::format("identity is {}; a list of coefficients is needed", show(*entry)));
    identity.emplace();
    for (std::size_t index = 0; index < entry->size(); ++index)
      identity->push_back(readValue((*entry)[index], fmt::format("identity[{}]", index)));
  }
  return Table(std::move(name), field, dimension, std::move(constants), std::move(identity));
}

} // namespace

Table parseTable(std::string_view text, const std::string &file) {
  try {
    return readDocument(parseJson(text, file), file);
  } catch (InputError &error) {
    if (error.where())
      throw;
    throw InputError(error.what(), SourceLocation{file, 0, 0, {}}).hint(error.hint());
  }
}

Table readTableFile(const std::string &path) { return parseTable(readInputFile(path), path); }

std::string printTable(const Table &table) {
  std::string result = fmt::format("{{\"name\":{},\"field\":\"{}\",\"dimension\":{},\"constants\":[",
                                   json(table.name()).dump(-1, ' ', true, json::error_handler_t::replace),
                                   table.field().name(), table.dimension());
  const char *separator = "";
  for (const Constant &constant : table.constants()) {
    result += fmt::format("{}[{},{},{},\"{}\"]", separator, constant.i, constant.j, constant.k,
                          constant.value.toString());
    separator = ",";
  }
  result += "]";
  if (table.claimedIdentity()) {
    result += ",\"identity\":[";
    separator = "";
    for (const Rational &coefficient : *table.claimedIdentity()) {
      result += fmt::format("{}\"{}\"", separator, coefficient.toString());
      separator = ",";
    }
    result += "]";
  }
  return result + "}";
}

} // namespace algebras
