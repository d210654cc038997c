// From what a file says to a table, or to a refusal with its place.
#include "algebras/error.h"
#include "algebras/read_file.h"
#include "algebras/table/entry_places.h"
#include "algebras/table/table.h"
#include "algebras/table/table_document.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace algebras {

namespace {

// Runs a check that knows no place, and gives its InputError one.
template <typename Offset, typename Check> auto placed(JsonText &text, Offset offset, Check check) {
  try {
    return check();
  } catch (const InputError &error) {
    throw InputError(error.what(), text.locate(offset())).hint(error.hint());
  }
}

void requireKey(const JsonText &text, const TableDocument &document, bool given, const char *key,
                const char *example) {
  if (!given)
    throw InputError(fmt::format("key \"{}\" is missing", key), text.locate(document.end))
        .hint(fmt::format("a table needs {}", example));
}

// The place of part `part` of entry `index` of "constants".
size_t partPlace(JsonText &text, int64_t index, int part) {
  size_t offset = 0;
  visitEntries(text, [&](const EntryPlace &entry) {
    offset = entry.parts[part];
    return entry.index == index;
  });
  return offset;
}

void checkConstants(JsonText &text, const Field &field, int64_t dimension, std::vector<Constant> &constants) {
  for (size_t n = 0; n < constants.size(); ++n) {
    Constant &constant = constants[n];
    auto index = static_cast<int64_t>(n);
    int part = 0;
    for (int64_t slot : {constant.i, constant.j, constant.k}) {
      if (slot < 0 || slot >= dimension)
        throw InputError(
            fmt::format("constants[{}][{}] is {}; the dimension is {}: indices count from 0 to {}", n, part,
                        slot, dimension, dimension - 1),
            text.locate(partPlace(text, index, part)));
      ++part;
    }
    if (!field.isRationals())
      constant.value = placed(
          text, [&] { return partPlace(text, index, 3); }, [&] { return field.reduce(constant.value); });
  }
}

[[noreturn]] void refuseDuplicate(JsonText &text, const DuplicateConstant &error) {
  std::optional<size_t> first, second;
  visitEntries(text, [&](const EntryPlace &entry) {
    if (entry.slots == error.slots())
      (first ? second : first) = entry.offset;
    return second.has_value();
  });
  SourceLocation before = text.locate(first.value());
  throw InputError(
      fmt::format("{}; the first time in line {}, column {}", error.what(), before.line, before.column),
      text.locate(second.value()))
      .hint(error.hint());
}

void checkIdentity(JsonText &text, const Field &field, int64_t dimension,
                   Written<std::vector<Rational>> &identity) {
  auto length = static_cast<int64_t>(identity.value.size());
  if (length != dimension)
    throw InputError(fmt::format("the identity has {} coefficients, the dimension is {}", length, dimension),
                     text.locate(length < dimension ? identity.offset : identityPlace(text, dimension)));
  for (int64_t n = 0; n < length; ++n)
    identity.value[n] =
        placed(text, [&] { return identityPlace(text, n); }, [&] { return field.reduce(identity.value[n]); });
}

Table toTable(JsonText &text, TableDocument document) {
  requireKey(text, document, document.dimension.has_value(), "dimension", "\"dimension\": 4");
  requireKey(text, document, document.constants.has_value(), "constants",
             "\"constants\": [[0, 0, 0, \"1/1\"], ...]");
  Field field;
  if (document.field)
    field = placed(
        text, [&] { return document.field->offset; }, [&] { return Field::parse(document.field->value); });
  int64_t dimension = document.dimension->value;
  placed(text, [&] { return document.dimension->offset; }, [&] { Table::requireDimension(dimension); });
  checkConstants(text, field, dimension, *document.constants);
  std::optional<std::vector<Rational>> identity;
  std::optional<SourceLocation> identity_place;
  if (document.identity) {
    checkIdentity(text, field, dimension, *document.identity);
    identity = std::move(document.identity->value);
    identity_place = text.locate(document.identity->offset);
  }
  std::string name =
      document.name ? std::move(*document.name) : std::filesystem::path(text.file()).stem().string();
  try {
    return Table(std::move(name), field, dimension, std::move(*document.constants), std::move(identity),
                 std::move(identity_place));
  } catch (const DuplicateConstant &error) {
    refuseDuplicate(text, error);
  }
}

} // namespace

Table parseTable(std::string_view text, const std::string &file) {
  JsonText json(text, file);
  return toTable(json, readTableDocument(json));
}

Table readTableFile(const std::string &path) { return parseTable(readInputFile(path), path); }

} // namespace algebras
