// Any text either is a table, and then prints one that reads back equal, or is an InputError with a place.
// What sparse methods say of a small table, dense linear algebra says, too.
#include "algebras/table/table.h"
#include "algebras/associativity.h"
#include "algebras/associativity/sparse_pairs.h"
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/facts.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/table_structure.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace {

using namespace algebras;

void require(bool condition) {
  if (!condition)
    std::abort();
}

std::optional<Table> parse(std::string_view text) {
  try {
    return parseTable(text, "fuzz.json");
  } catch (const InputError &error) {
    error.render();
    require(error.where() && error.where()->line >= 1 && error.where()->column >= 1);
    require(error.where()->text.size() <= 1000);
    return std::nullopt;
  }
}

void compareStructures(const Table &table, const SparseVector &identity) {
  Decomposition dense = decomposeDense(table, identity);
  std::optional<Decomposition> sparse = decomposeTable(table);
  require(sparse && sparse->center_dimension == dense.center_dimension);
  require(sparse->components.size() == dense.components.size());
  for (size_t index = 0; index < dense.components.size(); ++index)
    require(sparse->components[index].dimension == dense.components[index].dimension);
  require(sparse->radical_powers == dense.radical_powers); // reduced echelon bases are unique
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<Table> table = parse({reinterpret_cast<const char *>(data), size});
  if (!table)
    return 0;
  require(parseTable(printTable(*table), "again.json").sameProduct(*table));
  std::optional<Witness> witness = findNonassociative(*table);
  if (std::optional<SparsePairs> pairs = searchSparsePairs(*table))
    require(pairs->first_failing.has_value() == witness.has_value());
  constexpr int64_t small = 8;
  if (!witness && table->dimension() <= small)
    if (std::optional<SparseVector> identity = findIdentity(*table))
      compareStructures(*table, *identity);
  try {
    deriveFacts(tableAlgebra(*table));
  } catch (const InputError &error) { // a claimed identity that is none
    error.render();
  }
  return 0;
}
