#include "algebras/table/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace algebras {

std::string printTable(const Table &table) {
  using nlohmann::json;
  std::string result;
  auto out = std::back_inserter(result);
  fmt::format_to(out, "{{\"name\":{},\"field\":\"{}\",\"dimension\":{},\"constants\":[",
                 json(table.name()).dump(-1, ' ', true, json::error_handler_t::replace), table.field().name(),
                 table.dimension());
  const char *separator = "";
  for (const Constant &constant : table.constants()) {
    fmt::format_to(out, "{}[{},{},{},\"{}\"]", separator, constant.i, constant.j, constant.k,
                   constant.value.toString());
    separator = ",";
  }
  result += "]";
  if (table.claimedIdentity()) {
    result += ",\"identity\":[";
    separator = "";
    for (const Rational &coefficient : *table.claimedIdentity()) {
      fmt::format_to(out, "{}\"{}\"", separator, coefficient.toString());
      separator = ",";
    }
    result += "]";
  }
  return result + "}";
}

} // namespace algebras
