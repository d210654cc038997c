#include "algebras/rank/minimal_rank.h"

#include "algebras/constructions.h"
#include "algebras/poset/poset.h"
#include "algebras/quiver/bound_quiver.h"
#include "algebras/rank/local_algebra.h"
#include "algebras/rank/peirce.h"
#include "algebras/structure/table_structure.h"

#include <algorithm>
#include <map>
#include <set>

namespace algebras {

namespace {

using Kind = Algebra::Kind;

const char *const obstruction_peirce = "Peirce bound: e_i rad e_j rad e_l is not zero for some i != j != l";
const char *const obstruction_off_diagonal =
    "Peirce bound: rad does not annihilate e_i rad e_j for some i != j";
const char *const obstruction_matrices =
    "Blaser 2005: not of minimal rank, as rad does not split off from the matrix factors";

bool isMatrixFactor(const SimpleComponent &component) {
  return component.matrix_degree && *component.matrix_degree >= 2;
}

// Of a basis whose elements lie in e_i A e_j each. An off-diagonal product, if there is one.
std::string adaptedObstruction(const Table &table, const PeircePositions &positions) {
  std::string found;
  for (const Constant &constant : table.constants()) {
    int64_t i = constant.i, j = constant.j;
    if (!positions.radical[i] || !positions.radical[j])
      continue;
    bool left = positions.row[i] != positions.column[i], right = positions.row[j] != positions.column[j];
    if (left && right)
      return obstruction_peirce;
    if (left || right)
      found = obstruction_off_diagonal;
  }
  return found;
}

// e_i rad e_i with e_i is a local algebra; each has to be of minimal rank.
std::string localObstruction(const Table &table, const PeircePositions &positions) {
  std::map<int64_t, std::vector<SparseVector>> radicals;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (positions.radical[slot] && positions.row[slot] == positions.column[slot])
      radicals[positions.row[slot]].push_back({{slot, Rational(1)}});
  for (const auto &[idempotent, radical] : radicals)
    if (std::string reason = localRankObstruction(table, radical); !reason.empty())
      return reason;
  return "";
}

RankShape matrixLikeShape(int64_t off_diagonal, bool chain) {
  RankShape result;
  result.split_basic = true;
  result.radical = result.off_diagonal = off_diagonal > 0;
  if (chain)
    result.obstruction = obstruction_peirce;
  return result;
}

std::optional<RankShape> tensorShape(const Algebra &algebra) {
  RankShape result;
  result.split_basic = true;
  std::string inherited;
  int radicals = 0;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<RankShape> own = rankShape(factor);
    if (!own)
      return std::nullopt;
    result.split_basic = result.split_basic && own->split_basic;
    result.off_diagonal = result.off_diagonal || own->off_diagonal;
    result.matrices = result.matrices || own->matrices; // its units survive in every factor of A/rad
    radicals += own->radical ? 1 : 0;
    if (own->split_basic && !own->obstruction.empty())
      inherited = own->obstruction;
  }
  result.radical = radicals > 0;
  if (result.matrices && result.radical)
    result.obstruction = obstruction_matrices;
  else if (result.split_basic && !inherited.empty())
    result.obstruction = inherited; // modulo A (x) rad B it is A x ... x A (docs/rank.md, Lemma 2)
  else if (result.split_basic && result.off_diagonal && radicals >= 2)
    result.obstruction = obstruction_peirce; // u (x) e_k times e_j (x) v
  if (!result.split_basic)
    result.off_diagonal = false;
  return result;
}

std::optional<RankShape> directShape(const Algebra &algebra) {
  RankShape result;
  result.split_basic = result.matrices = true;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<RankShape> own = rankShape(factor);
    if (!own)
      return std::nullopt;
    result.split_basic = result.split_basic && own->split_basic;
    result.radical = result.radical || own->radical;
    result.off_diagonal = result.off_diagonal || own->off_diagonal;
    result.matrices = result.matrices && own->matrices;
    if (result.obstruction.empty())
      result.obstruction = own->obstruction;
  }
  result.off_diagonal = result.off_diagonal && result.split_basic;
  return result;
}

} // namespace

RankShape tableRankShape(const Table &table, const Decomposition &decomposition) {
  RankShape result;
  result.radical = !decomposition.radical_powers.empty();
  const std::vector<SimpleComponent> &components = decomposition.components;
  result.split_basic = std::all_of(components.begin(), components.end(),
                                   [](const SimpleComponent &component) { return component.dimension == 1; });
  result.matrices = std::all_of(components.begin(), components.end(), isMatrixFactor);
  if (!result.radical)
    return result;
  if (result.matrices) {
    result.obstruction = obstruction_matrices;
    return result;
  }
  if (std::optional<PeircePositions> positions = adaptedPositions(table, decomposition)) {
    for (int64_t slot = 0; slot < table.dimension(); ++slot) {
      if (!positions->radical[slot])
        continue;
      bool matrix = false;
      for (int64_t end : {positions->row[slot], positions->column[slot]})
        matrix = matrix || isMatrixFactor(components[positions->component[end]]);
      if (matrix)
        result.obstruction = obstruction_matrices;
      result.off_diagonal = result.off_diagonal || positions->row[slot] != positions->column[slot];
    }
    result.off_diagonal = result.off_diagonal && result.split_basic;
    if (result.split_basic)
      result.obstruction = adaptedObstruction(table, *positions);
    if (result.split_basic && result.obstruction.empty())
      result.obstruction = localObstruction(table, *positions);
    return result;
  }
  if (!result.split_basic || table.dimension() > largest_shape)
    return result;
  if (components.size() == 1) {
    result.obstruction = localRankObstruction(table, decomposition.radical_powers.front());
    return result;
  }
  std::optional<std::vector<SparseVector>> idempotents =
      primitiveIdempotents(tableAlgebra(table), decomposition);
  if (!idempotents)
    return result;
  OffDiagonalProducts products =
      findOffDiagonalProducts(table, *idempotents, decomposition.radical_powers.front());
  result.off_diagonal = products.off_diagonal;
  result.obstruction = products.chain ? obstruction_peirce : products.any ? obstruction_off_diagonal : "";
  return result;
}

std::optional<RankShape> rankShape(const Algebra &algebra) {
  switch (algebra.kind()) {
  case Kind::Graph:
  case Kind::CompleteGraph:
  case Kind::Path:
  case Kind::Coordinates:
    return matrixLikeShape(algebra.dimension() - algebra.parameter(), false); // rad^2 = 0
  case Kind::Triangular:
    return matrixLikeShape(algebra.dimension() - algebra.parameter(), algebra.parameter() >= 3);
  case Kind::Incidence:
    return matrixLikeShape(algebra.dimension() - algebra.positions(),
                           algebra.poset()->pairsByLongestChain().size() >= 3);
  case Kind::Quiver: {
    const BoundQuiver &bound = *algebra.boundQuiver();
    if (!algebra.isMatrixLike() || !bound.isGraded())
      break;
    bool chain = false; // at positions no path returns to where it was
    for (int64_t slot = 0; slot < algebra.dimension() && !chain; ++slot)
      chain = bound.basis().path(slot).length >= 2;
    return matrixLikeShape(algebra.dimension() - algebra.positions(), chain);
  }
  case Kind::Matrices: {
    RankShape result;
    result.matrices = algebra.parameter() > 1;
    result.split_basic = !result.matrices;
    return result;
  }
  case Kind::Tensor:
    return tensorShape(algebra);
  case Kind::DirectProduct:
    return directShape(algebra);
  case Kind::Table: // its laws are known where its rank is asked for
    if (std::optional<Decomposition> decomposition = decomposeTable(*algebra.table()))
      return tableRankShape(*algebra.table(), *decomposition);
    return std::nullopt;
  default:
    break;
  }
  if (algebra.nonzeros() > Algebra::expansion_limit)
    return std::nullopt;
  Table table = algebra.expand();
  std::optional<Decomposition> decomposition = decomposeTable(table);
  if (!decomposition)
    return std::nullopt;
  return tableRankShape(table, *decomposition);
}

} // namespace algebras
