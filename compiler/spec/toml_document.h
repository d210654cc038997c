// Typed access to a TOML table that knows its allowed keys and points at the place of every fault. Header of
// toml_spec.cpp alone: toml++ is too heavy to be included elsewhere.
#pragma once

#include "algebras/error.h"
#include "compiler/spec/layer_fields.h"
#include "compiler/spec/toml.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compiler {

// The text being read, for turning toml++'s regions into places with their line.
struct TomlText {
  std::string_view text;
  std::string file;

  algebras::SourceLocation at(const toml::source_position &position) const;
  algebras::SourceLocation at(const toml::source_region &region) const { return at(region.begin); }
};

// Parses; a syntax error becomes an InputError. Other exceptions of toml++ do not occur.
toml::table parseToml(const TomlText &text);

class TomlSection {
public:
  // `name` is the header, without brackets; empty for the document itself.
  TomlSection(const TomlText &text, const toml::table &table, std::string name);

  // Every key must be one of `known`. `elsewhere` names keys of other sections: (key, section).
  void refuseUnknownKeys(const std::vector<std::string_view> &known,
                         const std::vector<std::pair<std::string_view, std::string_view>> &elsewhere) const;

  bool has(std::string_view key) const { return table_.contains(key); }
  std::optional<Given<std::string>> string(std::string_view key) const;
  std::optional<Given<int64_t>> integer(std::string_view key) const;
  std::optional<Given<bool>> boolean(std::string_view key) const;
  std::optional<Given<std::vector<int64_t>>> integers(std::string_view key) const;
  // [[0, 1], [1, 2]], each with its place.
  std::optional<Given<std::vector<Given<std::pair<int64_t, int64_t>>>>>
  integerPairs(std::string_view key) const;
  std::optional<TomlSection> section(std::string_view key) const;

  algebras::SourceLocation where() const { return text_.at(table_.source()); }
  // Where the key itself stands, not its value.
  algebras::SourceLocation whereKey(std::string_view key) const;

private:
  const TomlText &text_;
  const toml::table &table_;
  std::string name_;

  [[noreturn]] void wrongType(std::string_view key, const toml::node &node, const char *wanted) const;
};

} // namespace compiler
