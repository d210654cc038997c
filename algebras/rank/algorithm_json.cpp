#include "algebras/rank/algorithm_json.h"

#include "algebras/error.h"
#include "algebras/read_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace algebras {

namespace {

using nlohmann::json;

std::string show(const json &value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

json parseJson(std::string_view text, const std::string &file) {
  // The library takes a zero byte for the end of the text and would not look at what follows.
  if (std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw InputError("not JSON: byte 0x00 cannot stand here", locate(text, zero, file));
  // Objects that name a key twice are refused: the library would keep the last one in silence.
  std::vector<std::set<std::string>> keys;
  auto check = [&](int, json::parse_event_t event, json &parsed) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InputError(fmt::format("key \"{}\" is given twice", parsed.get<std::string>().substr(0, 80)));
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::parse_error &error) {
    std::string message = error.what();
    if (std::size_t colon = message.find(": "); colon != std::string::npos)
      message = message.substr(colon + 2);
    throw InputError("not JSON: " + message, locate(text, error.byte > 0 ? error.byte - 1 : 0, file));
  } catch (const json::out_of_range &) {
    throw InputError("a number is too large; write it as a string, \"num/den\"");
  }
}

SparseVector readVector(const json &value, const Field &field, std::int64_t dimension,
                        const std::string &what) {
  if (!value.is_array())
    throw InputError(fmt::format("{} is {}; a list of [index, \"num/den\"] is needed", what, show(value)));
  SparseVector result;
  for (std::size_t entry = 0; entry < value.size(); ++entry) {
    std::string place = fmt::format("{}[{}]", what, entry);
    const json &pair = value[entry];
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() ||
        !(pair[1].is_string() || pair[1].is_number_integer()))
      throw InputError(fmt::format("{} is {}; [index, \"num/den\"] is needed", place, show(pair)));
    bool too_large = pair[0].is_number_unsigned() && pair[0].get<std::uint64_t>() > std::uint64_t{INT64_MAX};
    std::int64_t index = too_large ? -1 : pair[0].get<std::int64_t>();
    if (index < 0 || index >= dimension)
      throw InputError(
          fmt::format("{} has index {}; they count from 0 to {}", place, show(pair[0]), dimension - 1));
    try {
      Rational number =
          Rational::parse(pair[1].is_string() ? pair[1].get_ref<const std::string &>() : pair[1].dump());
      result.emplace_back(index, field.reduce(number));
    } catch (InputError &error) {
      throw InputError(fmt::format("{}: {}", place, error.what())).hint(error.hint());
    }
  }
  std::sort(result.begin(), result.end(),
            [](const auto &left, const auto &right) { return left.first < right.first; });
  for (std::size_t entry = 1; entry < result.size(); ++entry)
    if (result[entry - 1].first == result[entry].first)
      throw InputError(fmt::format("{} names index {} twice", what, result[entry].first));
  std::erase_if(result, [](const auto &entry) { return entry.second.isZero(); });
  return result;
}

const json &require(const json &document, const char *key) {
  auto entry = document.find(key);
  if (entry == document.end())
    throw InputError(fmt::format("key \"{}\" is missing", key))
        .hint(
            "an algorithm needs \"dimension\": 4 and \"products\": [{\"alpha\": [[0, \"1\"]], \"beta\": [[0, "
            "\"1\"]], \"gamma\": [[0, \"1\"]]}, ...]");
  return *entry;
}

std::string readText(const json &document, const char *key) {
  auto entry = document.find(key);
  if (entry == document.end())
    return "";
  if (!entry->is_string())
    throw InputError(fmt::format("{} is {}; a string is needed", key, show(*entry)));
  return entry->get<std::string>();
}

AlgorithmFile readDocument(const json &document) {
  if (!document.is_object())
    throw InputError("an algorithm is a JSON object");
  static const std::set<std::string> known = {"name",     "rule",    "field", "dimension",
                                              "products", "comment", "source"};
  for (const auto &[key, value] : document.items())
    if (!known.contains(key))
      throw InputError(fmt::format("key \"{}\" means nothing in an algorithm", key.substr(0, 80)))
          .hint("the keys are name, rule, field, dimension and products");
  AlgorithmFile result;
  result.name = readText(document, "name");
  result.rule = readText(document, "rule");
  if (std::string field = readText(document, "field"); !field.empty())
    result.field = Field::parse(field);
  const json &dimension = require(document, "dimension");
  if (!dimension.is_number_integer() || dimension.get<double>() < 1 || dimension.get<double>() > 9e18)
    throw InputError(fmt::format("dimension is {}; an integer of at least 1 is needed", show(dimension)));
  result.dimension = dimension.get<std::int64_t>();
  const json &products = require(document, "products");
  if (!products.is_array())
    throw InputError(fmt::format("products is {}; a list is needed", show(products)));
  for (std::size_t r = 0; r < products.size(); ++r) {
    const json &own = products[r];
    if (!own.is_object() || own.size() != 3 || !own.contains("alpha") || !own.contains("beta") ||
        !own.contains("gamma"))
      throw InputError(
          fmt::format("products[{}] is {}; an object with alpha, beta and gamma is needed", r, show(own)));
    auto vector = [&](const char *key) {
      return readVector(own[key], result.field, result.dimension, fmt::format("products[{}].{}", r, key));
    };
    result.products.push_back({vector("alpha"), vector("beta"), vector("gamma")});
  }
  return result;
}

void print(std::string &text, const char *key, const SparseVector &vector) {
  text += fmt::format("\"{}\": [", key);
  const char *separator = "";
  for (const auto &[index, value] : vector) {
    text += fmt::format("{}[{}, \"{}\"]", separator, index, value.toString());
    separator = ", ";
  }
  text += "]";
}

std::string quoted(const std::string &text) {
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

} // namespace

std::string printAlgorithm(const AlgorithmFile &file) {
  std::string text =
      fmt::format("{{\"name\": {},\n \"rule\": {},\n \"field\": \"{}\",\n \"dimension\": {},\n "
                  "\"products\": [",
                  quoted(file.name), quoted(file.rule), file.field.name(), file.dimension);
  const char *separator = "\n  {";
  for (const BilinearProduct &product : file.products) {
    text += separator;
    print(text, "alpha", product.alpha);
    text += ", ";
    print(text, "beta", product.beta);
    text += ", ";
    print(text, "gamma", product.gamma);
    text += "}";
    separator = ",\n  {";
  }
  return text + "\n ]}\n";
}

AlgorithmFile parseAlgorithm(std::string_view text, const std::string &file) {
  try {
    return readDocument(parseJson(text, file));
  } catch (InputError &error) {
    if (error.where())
      throw;
    throw InputError(error.what(), SourceLocation{file, 0, 0, {}}).hint(error.hint());
  }
}

AlgorithmFile readAlgorithmFile(const std::string &path) { return parseAlgorithm(readInputFile(path), path); }

} // namespace algebras
