// Any text either is a table, and then prints one that reads back equal, or is an InputError.
#include "algebras/table/table.h"
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/facts.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  try {
    algebras::Table table = algebras::parseTable({reinterpret_cast<const char *>(data), size}, "fuzz.json");
    if (!algebras::parseTable(algebras::printTable(table), "again.json").sameProduct(table))
      std::abort();
    algebras::deriveFacts(algebras::tableAlgebra(table));
  } catch (const algebras::InputError &error) {
    error.render();
  }
  return 0;
}
