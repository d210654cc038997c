// What a table file says, before it is checked to be a table.
#pragma once

#include "algebras/json/json_reader.h"
#include "algebras/table/table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

struct TableDocument {
  std::optional<std::string> name;
  std::optional<Written<std::string>> field;
  std::optional<Written<int64_t>> dimension;
  std::optional<std::vector<Constant>> constants; // in the order of the file
  std::optional<Written<std::vector<Rational>>> identity;
  size_t end = 0; // of the closing brace
};

// One pass with the memory of the result. InputError, with its place, for what is not JSON, for keys that are
// unknown or given twice, and for values of a wrong type or form.
TableDocument readTableDocument(JsonText &text);

} // namespace algebras
