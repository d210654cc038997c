#include "algebras/certificate/few_generators.h"

#include "algebras/linear/echelon.h"
#include "algebras/linear/modular_span.h"
#include "algebras/structure/generators.h"
#include "algebras/structure/product_operator.h"

namespace algebras {

namespace {

constexpr std::int64_t kCheapPairs = std::int64_t{1} << 22, kMostGenerators = 8, kLargestDimension = 512;

// Pairs of constants that meet in (b_i b_j) b_k or b_i (b_j b_k).
std::int64_t meetingPairs(const Table &table) {
  std::vector<std::int64_t> as_left(table.dimension()), as_right(table.dimension());
  for (const Constant &constant : table.constants()) {
    ++as_left[constant.i];
    ++as_right[constant.j];
  }
  std::int64_t pairs = 0;
  for (const Constant &constant : table.constants())
    pairs += as_left[constant.k] + as_right[constant.k];
  return pairs;
}

} // namespace

std::optional<std::vector<std::int64_t>> fewGenerators(const Table &table) {
  if (table.dimension() > kLargestDimension || meetingPairs(table) <= kCheapPairs)
    return std::nullopt;
  std::optional<std::vector<std::int64_t>> slots = generatingSlots(table, kMostGenerators);
  if (!slots)
    return std::nullopt;
  std::optional<Table> modular = table;
  if (table.field().isRationals())
    for (std::uint64_t p = nextModulus(0); !(modular = ProductOperator::modulo(table, p)); p = nextModulus(p))
      ;
  ModularSpan span(modular->field().characteristic(), table.dimension());
  std::vector<ModularSpan::Vector> members;
  for (std::int64_t slot : *slots) {
    ModularSpan::Vector unit(table.dimension());
    unit[slot] = 1;
    span.insert(unit);
    members.push_back(std::move(unit));
  }
  const nmod_t &mod = span.mod();
  for (std::size_t word = 0; word < members.size() && !span.isEverything(); ++word)
    for (std::size_t g = 0; g < slots->size() && !span.isEverything(); ++g) {
      ModularSpan::Vector product(table.dimension());
      for (const Constant &constant : modular->constants())
        if (mp_limb_t value = members[word][constant.i]; constant.j == (*slots)[g] && value != 0)
          product[constant.k] = nmod_add(
              product[constant.k], nmod_mul(value, constant.value.integerModulo(mod.n).value(), mod), mod);
      if (span.insert(product))
        members.push_back(std::move(product));
    }
  return span.isEverything() ? slots : std::nullopt;
}

} // namespace algebras
