#include "algebras/rank/algorithm_json.h"

#include "algebras/error.h"
#include "algebras/rank/algorithm_document.h"
#include "algebras/read_file.h"
#include "algebras/table/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace algebras {

namespace {

// Runs a check that knows no place, and gives its InputError one.
template <typename Check> auto placed(const JsonText &text, size_t offset, Check check) {
  try {
    return check();
  } catch (const InputError &error) {
    throw InputError(error.what(), text.locate(offset)).hint(error.hint());
  }
}

SparseVector toVector(const JsonText &text, const Field &field, int64_t dimension,
                      std::vector<AlgorithmDocument::Term> &terms, size_t product, const char *key) {
  auto name = [&](size_t entry) { return fmt::format("products[{}].{}[{}]", product, key, entry); };
  SparseVector result;
  std::map<int64_t, size_t> first; // index -> offset
  for (size_t entry = 0; entry < terms.size(); ++entry) {
    AlgorithmDocument::Term &term = terms[entry];
    if (term.index < 0 || term.index >= dimension)
      throw InputError(
          fmt::format("{} has index {}; they count from 0 to {}", name(entry), term.index, dimension - 1),
          text.locate(term.index_offset));
    auto [place, is_new] = first.emplace(term.index, term.index_offset);
    if (!is_new) {
      SourceLocation before = text.locate(place->second);
      throw InputError(fmt::format("{} names index {} again; the first time in line {}, column {}",
                                   name(entry), term.index, before.line, before.column),
                       text.locate(term.index_offset));
    }
    Rational value = placed(text, term.value_offset, [&] { return field.reduce(term.value); });
    if (!value.isZero())
      result.emplace_back(term.index, std::move(value));
  }
  std::sort(result.begin(), result.end(),
            [](const auto &left, const auto &right) { return left.first < right.first; });
  return result;
}

[[noreturn]] void refuseMissing(const JsonText &text, const AlgorithmDocument &document, const char *key) {
  throw InputError(fmt::format("key \"{}\" is missing", key), text.locate(document.end))
      .hint("an algorithm needs \"dimension\": 4 and \"products\": [{\"alpha\": [[0, \"1\"]], "
            "\"beta\": [[0, \"1\"]], \"gamma\": [[0, \"1\"]]}, ...]");
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
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
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
  JsonText json_text(text, file);
  AlgorithmDocument document = readAlgorithmDocument(json_text);
  if (!document.dimension)
    refuseMissing(json_text, document, "dimension");
  if (!document.products)
    refuseMissing(json_text, document, "products");
  AlgorithmFile result;
  result.name = std::move(document.name);
  result.rule = std::move(document.rule);
  if (document.field)
    result.field =
        placed(json_text, document.field->offset, [&] { return Field::parse(document.field->value); });
  result.dimension = document.dimension->value;
  placed(json_text, document.dimension->offset, [&] { Table::requireDimension(result.dimension); });
  for (size_t index = 0; index < document.products->size(); ++index) {
    AlgorithmDocument::Product &own = (*document.products)[index];
    auto vector = [&](size_t at) {
      return toVector(json_text, result.field, result.dimension, own[at], index, product_keys[at]);
    };
    result.products.push_back({vector(0), vector(1), vector(2)});
  }
  return result;
}

AlgorithmFile readAlgorithmFile(const std::string &path) { return parseAlgorithm(readInputFile(path), path); }

} // namespace algebras
