#include "algebras/invariants/peirce.h"

#include "algebras/associativity.h"
#include "algebras/linear/subspace.h"
#include "algebras/quiver/bound_quiver.h"
#include "algebras/structure/decomposition.h"
#include "algebras/structure/sparse_product.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using Kind = Algebra::Kind;
using Pair = PeirceQuiver::Pair;

constexpr size_t most_entries = size_t{1} << 20; // pairs over all layers
constexpr int64_t most_shown_products = int64_t{1} << 22;
constexpr int64_t most_peirce_products = int64_t{1} << 16; // basis vectors times idempotents

size_t entries(const PeirceQuiver &quiver) {
  size_t total = 0;
  for (const auto &layer : quiver.layers)
    total += layer.size();
  return total;
}

std::optional<PeirceQuiver> ofTriangular(int64_t n) {
  if (n > 1024)
    return std::nullopt;
  PeirceQuiver result;
  result.sizes.assign(n, 1);
  result.layers.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    result.labels.push_back(fmt::format("{}", i));
    for (int64_t j = i; j < n; ++j)
      result.layers[j - i][{i, j}] = 1;
  }
  return result;
}

// Graded by length: J^s is spanned by the paths of s arrows and more.
std::optional<PeirceQuiver> ofGradedPaths(const BoundQuiver &bound) {
  PeirceQuiver result;
  std::vector<int64_t> number(bound.quiver().vertexCount(), -1);
  for (int64_t vertex : bound.vertices()) {
    number[vertex] = result.vertexCount();
    result.sizes.push_back(1);
    result.labels.push_back(bound.quiver().vertexName(vertex));
  }
  size_t total = 0;
  for (int64_t slot = 0; slot < bound.basis().size(); ++slot) {
    const PathBasis::Path &path = bound.basis().path(slot);
    if (static_cast<size_t>(path.length) >= result.layers.size())
      result.layers.resize(path.length + 1);
    if (++result.layers[path.length][{number[path.source], number[path.target]}] == 1 &&
        ++total > most_entries)
      return std::nullopt;
  }
  return result;
}

std::optional<PeirceQuiver> ofDirectProduct(const Algebra &algebra) {
  PeirceQuiver result;
  size_t factor_number = 0, total = 0;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<PeirceQuiver> own = peirceQuiver(factor);
    if (!own || (total += entries(*own)) > most_entries)
      return std::nullopt;
    int64_t start = result.vertexCount();
    result.sizes.insert(result.sizes.end(), own->sizes.begin(), own->sizes.end());
    for (const std::string &label : own->labels)
      result.labels.push_back(fmt::format("{}.{}", factor_number, label));
    result.layers.resize(std::max(result.layers.size(), own->layers.size()));
    for (size_t s = 0; s < own->layers.size(); ++s)
      for (const auto &[pair, count] : own->layers[s])
        result.layers[s][{start + pair.first, start + pair.second}] = count;
    ++factor_number;
  }
  return result;
}

// Over split quotients rad(A x B) = rad A x B + A x rad B, so that layers convolve.
std::optional<PeirceQuiver> ofTensorProduct(const Algebra &algebra) {
  std::optional<PeirceQuiver> result;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<PeirceQuiver> own = peirceQuiver(factor);
    if (!own)
      return std::nullopt;
    if (!result) {
      result = std::move(own);
      continue;
    }
    if (entries(*result) > most_entries / std::max<size_t>(1, entries(*own)))
      return std::nullopt;
    PeirceQuiver product;
    int64_t n = own->vertexCount();
    for (int64_t i = 0; i < result->vertexCount(); ++i)
      for (int64_t j = 0; j < n; ++j) {
        product.sizes.push_back(result->sizes[i] * own->sizes[j]);
        product.labels.push_back(result->labels[i] + "," + own->labels[j]);
      }
    product.layers.resize(result->layers.size() + own->layers.size() - 1);
    for (size_t s = 0; s < result->layers.size(); ++s)
      for (size_t t = 0; t < own->layers.size(); ++t)
        for (const auto &[left, left_count] : result->layers[s])
          for (const auto &[right, right_count] : own->layers[t])
            product.layers[s + t][{left.first * n + right.first, left.second * n + right.second}] +=
                left_count * right_count;
    result = std::move(product);
  }
  return result;
}

// Differences of neighbouring powers' dimensions.
void takeDifferences(PeirceQuiver &quiver, const std::vector<std::map<Pair, int64_t>> &dimensions) {
  for (size_t s = 0; s < dimensions.size(); ++s) {
    quiver.layers.emplace_back();
    for (const auto &[pair, dimension] : dimensions[s]) {
      int64_t deeper = 0;
      if (s + 1 < dimensions.size())
        if (auto found = dimensions[s + 1].find(pair); found != dimensions[s + 1].end())
          deeper = found->second;
      if (dimension > deeper)
        quiver.layers.back()[pair] = dimension - deeper;
    }
  }
}

// Where basis elements sit at positions, powers of the radical are spanned by slots, and a position of each
// component carries its primitive idempotent.
std::optional<PeirceQuiver> ofPositions(const Algebra &algebra) {
  if (algebra.nonzeros() > most_shown_products)
    return std::nullopt;
  std::optional<Decomposition> decomposition = decompose(algebra);
  if (!decomposition)
    return std::nullopt;
  PeirceQuiver result;
  std::map<int64_t, int64_t> vertex; // position -> vertex, for the chosen positions
  for (const SimpleComponent &component : decomposition->components) {
    int64_t slot = component.idempotent.front().first;
    vertex.emplace(algebra.position(slot).row, result.vertexCount());
    result.sizes.push_back(static_cast<int64_t>(component.idempotent.size()));
    const Graph *graph = algebra.graph();
    const BoundQuiver *bound = algebra.boundQuiver();
    int64_t row = algebra.position(slot).row;
    result.labels.push_back(graph   ? graph->vertexName(row)
                            : bound ? bound->quiver().vertexName(bound->vertices()[row])
                                    : fmt::format("{}", row));
  }
  std::vector<std::map<Pair, int64_t>> dimensions(decomposition->radical_powers.size() + 1);
  auto count = [&](size_t s, int64_t slot) {
    Position where = algebra.position(slot);
    auto row = vertex.find(where.row), column = vertex.find(where.column);
    if (row != vertex.end() && column != vertex.end())
      ++dimensions[s][{row->second, column->second}];
  };
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    count(0, slot);
  for (size_t s = 0; s < decomposition->radical_powers.size(); ++s)
    for (const SparseVector &vector : decomposition->radical_powers[s])
      count(s + 1, vector.front().first);
  takeDifferences(result, dimensions);
  return result;
}

// e_i J^s e_j is spanned by the e_i v e_j with v in a basis of J^s.
std::optional<PeirceQuiver> ofIdempotents(const Algebra &algebra) {
  if (algebra.nonzeros() > most_shown_products)
    return std::nullopt;
  std::optional<Decomposition> decomposition = decompose(algebra);
  if (!decomposition)
    return std::nullopt;
  std::optional<std::vector<SparseVector>> primitive = primitiveIdempotents(algebra, *decomposition);
  if (!primitive)
    return std::nullopt;
  PeirceQuiver result;
  std::vector<SparseVector> idempotents; // the first one of each component
  size_t next = 0;
  for (const SimpleComponent &component : decomposition->components) {
    result.sizes.push_back(*component.matrix_degree);
    idempotents.push_back((*primitive)[next]);
    next += static_cast<size_t>(*component.matrix_degree);
    const SparseVector &own = idempotents.back();
    result.labels.push_back(own.size() == 1 && own[0].second.isOne()
                                ? algebra.slotName(own[0].first)
                                : fmt::format("{}", result.labels.size()));
  }
  int64_t n = result.vertexCount();
  const bool is_semisimple =
      std::all_of(decomposition->radical_powers.begin(), decomposition->radical_powers.end(),
                  [](const auto &power) { return power.empty(); });
  if (is_semisimple) { // primitive idempotents of different components, each with a line e A e
    std::vector<std::map<Pair, int64_t>> lines(decomposition->radical_powers.size() + 1);
    for (int64_t vertex = 0; vertex < n; ++vertex)
      lines[0][{vertex, vertex}] = 1;
    takeDifferences(result, lines);
    return result;
  }
  if (algebra.dimension() > most_peirce_products / n)
    return std::nullopt;

  Table table = algebra.expand();
  SparseProduct product(table);
  std::vector<SparseVector> all;
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    all.push_back({{slot, Rational(1)}});
  std::vector<std::map<Pair, int64_t>> dimensions;
  for (size_t s = 0; s <= decomposition->radical_powers.size(); ++s) {
    std::map<Pair, std::vector<SparseVector>> images;
    for (const SparseVector &vector : s == 0 ? all : decomposition->radical_powers[s - 1])
      for (int64_t i = 0; i < n; ++i) {
        SparseVector left = product.multiply(idempotents[i], vector);
        for (int64_t j = 0; j < n && !left.empty(); ++j)
          if (SparseVector image = product.multiply(left, idempotents[j]); !image.empty())
            images[{i, j}].push_back(std::move(image));
      }
    dimensions.emplace_back();
    for (const auto &[pair, vectors] : images)
      dimensions.back()[pair] =
          Subspace(Matrix::fromSparse(algebra.field(), algebra.dimension(), vectors)).dimension();
  }
  takeDifferences(result, dimensions);
  return result;
}

} // namespace

const std::map<Pair, int64_t> &PeirceQuiver::arrows() const {
  static const std::map<Pair, int64_t> none;
  return layers.size() > 1 ? layers[1] : none;
}

std::map<Pair, int64_t> PeirceQuiver::cartanMatrix() const {
  std::map<Pair, int64_t> result;
  for (const auto &layer : layers)
    for (const auto &[pair, count] : layer)
      result[pair] += count;
  return result;
}

bool PeirceQuiver::isBasic() const {
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 1; });
}

int64_t PeirceQuiver::basicDimension() const {
  int64_t total = 0;
  for (const auto &layer : layers)
    for (const auto &[pair, count] : layer)
      total += count;
  return total;
}

Matching matchPeirce(const PeirceQuiver &left, const PeirceQuiver &right, PeirceDetail detail) {
  auto structure = [&](const PeirceQuiver &quiver) {
    ColouredStructure result;
    for (int64_t size : quiver.sizes)
      result.colours.push_back(static_cast<uint64_t>(size));
    std::map<Pair, uint64_t> colours;
    if (detail == PeirceDetail::Layers)
      for (size_t s = 0; s < quiver.layers.size(); ++s)
        for (const auto &[pair, count] : quiver.layers[s])
          colours[pair] = mixColour(mixColour(colours[pair], s), static_cast<uint64_t>(count));
    else
      for (const auto &[pair, count] :
           detail == PeirceDetail::Arrows ? quiver.arrows() : quiver.cartanMatrix())
        colours[pair] = static_cast<uint64_t>(count);
    for (const auto &[pair, colour] : colours)
      result.triples.push_back({pair.first, pair.second, pair.second, colour});
    return result;
  };
  return match(structure(left), structure(right));
}

bool isTruncatedPathAlgebra(const PeirceQuiver &quiver) {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> leaving; // (target, number of arrows)
  for (const auto &[pair, count] : quiver.arrows())
    leaving[pair.first].emplace_back(pair.second, count);
  std::map<Pair, int64_t> paths;
  for (int64_t vertex = 0; vertex < quiver.vertexCount(); ++vertex)
    paths[{vertex, vertex}] = 1;
  for (const auto &layer : quiver.layers) {
    if (paths != layer)
      return false;
    std::map<Pair, int64_t> longer;
    for (const auto &[pair, count] : paths)
      if (auto steps = leaving.find(pair.second); steps != leaving.end())
        for (auto [target, number] : steps->second) {
          int64_t &sum = longer[{pair.first, target}];
          int64_t product = 0; // more paths than any dimension: not a truncated path algebra
          if (__builtin_mul_overflow(count, number, &product) || __builtin_add_overflow(sum, product, &sum))
            return false;
        }
    paths = std::move(longer);
  }
  return true;
}

std::optional<PeirceQuiver> peirceQuiver(const Algebra &algebra) {
  if (algebra.kind() == Kind::DirectProduct)
    return ofDirectProduct(algebra);
  if (algebra.kind() == Kind::Tensor)
    return ofTensorProduct(algebra);
  if (algebra.kind() == Kind::Triangular)
    return ofTriangular(algebra.parameter());
  if (algebra.boundQuiver() && algebra.boundQuiver()->isGraded())
    return ofGradedPaths(*algebra.boundQuiver());
  if (algebra.isMatrixLike())
    return ofPositions(algebra);
  if (const Table *table = algebra.table())
    if (!findIdentity(*table) || findNonassociative(*table))
      return std::nullopt;
  return ofIdempotents(algebra);
}

} // namespace algebras
