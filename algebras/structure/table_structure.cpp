#include "algebras/structure/table_structure.h"

#include "algebras/structure/class_decomposition.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/direct_factors.h"
#include "algebras/structure/radical_powers.h"
#include "algebras/structure/shown_decomposition.h"

#include <algorithm>
#include <utility>

namespace algebras {

namespace {

// What both views of a structure start from.
struct Parts {
  std::vector<SimpleComponent> components;
  RadicalPowers powers;
  std::optional<int64_t> center_dimension = std::nullopt; // where it is known already
  StructureSource source = StructureSource::Slots;
};

std::optional<Parts> byClasses(const Table &table, bool with_bases) {
  TableIndex index(table);
  std::optional<ClassDecomposition> classes = decomposeByClasses(index);
  if (!classes)
    return std::nullopt;
  std::optional<RadicalPowers> powers = radicalPowers(index, *classes, with_bases);
  if (!powers)
    return std::nullopt;
  return Parts{std::move(classes->components), std::move(*powers), std::nullopt,
               classes->by_linear_algebra ? StructureSource::LinearAlgebra : StructureSource::Slots};
}

std::optional<Parts> byDenseAlgebra(const Table &table) {
  if (!fitsDense(table))
    return std::nullopt;
  std::optional<SparseVector> identity = findIdentity(table);
  if (!identity)
    return std::nullopt;
  Decomposition dense = decomposeDense(table, *identity);
  Parts parts{std::move(dense.components), {}, dense.center_dimension, StructureSource::LinearAlgebra};
  for (const std::vector<SparseVector> &power : dense.radical_powers)
    parts.powers.dimensions.push_back(static_cast<int64_t>(power.size()));
  parts.powers.bases = std::move(dense.radical_powers);
  return parts;
}

void toSlotsOf(const DirectFactor &factor, SparseVector &vector) {
  for (auto &[slot, value] : vector)
    slot = factor.slots[slot];
}

// `whole` gains a factor's parts.
void add(Parts &whole, const DirectFactor &factor, Parts part) {
  whole.source = std::max(whole.source, part.source);
  for (SimpleComponent &component : part.components) {
    toSlotsOf(factor, component.idempotent);
    toSlotsOf(factor, component.center_generator);
    for (SparseVector &unit : component.matrix_units)
      toSlotsOf(factor, unit);
    whole.components.push_back(std::move(component));
  }
  RadicalPowers &powers = whole.powers;
  powers.dimensions.resize(std::max(powers.dimensions.size(), part.powers.dimensions.size()));
  for (size_t s = 0; s < part.powers.dimensions.size(); ++s)
    powers.dimensions[s] += part.powers.dimensions[s];
  powers.bases.resize(std::max(powers.bases.size(), part.powers.bases.size()));
  for (size_t s = 0; s < part.powers.bases.size(); ++s)
    for (SparseVector &vector : part.powers.bases[s]) {
      toSlotsOf(factor, vector);
      powers.bases[s].push_back(std::move(vector));
    }
}

std::optional<Parts> byFactors(const Table &table, bool with_bases) {
  std::vector<DirectFactor> factors = directFactors(table);
  if (factors.size() == 1)
    return byDenseAlgebra(table);
  Parts whole;
  for (const DirectFactor &factor : factors) {
    std::optional<Parts> part = byClasses(factor.table, with_bases);
    if (!part)
      part = byDenseAlgebra(factor.table);
    if (!part)
      return std::nullopt;
    add(whole, factor, std::move(*part));
  }
  // A factor's slots keep their order, so that its bases stay reduced; together they have to be sorted.
  for (std::vector<SparseVector> &basis : whole.powers.bases)
    std::sort(basis.begin(), basis.end(),
              [](const SparseVector &a, const SparseVector &b) { return a.front().first < b.front().first; });
  return whole;
}

std::optional<Parts> decomposeParts(const Table &table, bool with_bases) {
  if (std::optional<Parts> parts = byClasses(table, with_bases))
    return parts;
  return byFactors(table, with_bases);
}

Structure structureOf(const Table &table, const Parts &parts) {
  Structure result;
  result.source = parts.source;
  for (const SimpleComponent &component : parts.components)
    ++result.components[SimpleKind(component)];
  result.layers = {table.dimension()};
  for (int64_t dimension : parts.powers.dimensions) {
    result.layers.back() -= dimension;
    result.layers.push_back(dimension);
  }
  result.center_dimension = parts.center_dimension ? parts.center_dimension : centerDimension(table);
  return result;
}

} // namespace

std::optional<TableStructure> decomposeWithStructure(const Table &table) {
  std::optional<Parts> parts = decomposeParts(table, true);
  if (!parts)
    return std::nullopt;
  TableStructure result;
  result.structure = structureOf(table, *parts);
  result.decomposition.components = std::move(parts->components);
  result.decomposition.radical_powers = std::move(parts->powers.bases);
  result.decomposition.center_dimension = result.structure.center_dimension;
  sortComponents(result.decomposition);
  return result;
}

std::optional<Decomposition> decomposeTable(const Table &table) {
  std::optional<TableStructure> result = decomposeWithStructure(table);
  return result ? std::optional(std::move(result->decomposition)) : std::nullopt;
}

std::optional<Structure> tableStructure(const Table &table) {
  std::optional<Parts> parts = decomposeParts(table, false);
  return parts ? std::optional(structureOf(table, *parts)) : std::nullopt;
}

} // namespace algebras
