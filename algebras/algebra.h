// An algebra as it was constructed; the structure constants are expanded on demand.
#pragma once

#include "algebras/field.h"
#include "algebras/graph/graph.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

class BoundQuiver; // quiver/bound_quiver.h
class Poset;       // poset/poset.h

namespace detail {
class Construction; // constructions/construction.h
}

// A place in the position matrix of a matrix-like algebra.
struct Position {
  int64_t row = 0, column = 0;
  bool operator==(const Position &) const = default;
};

// An immutable value; copies share the construction. Build one with constructions.h or expression.h.
//
// Numbering: slots at positions (i,j) count row-major over the positions that exist; a tensor product counts
// its left factor as the major one (slot = left_slot * dim(right) + right_slot, position = left_position *
// n(right) + right_position); a direct product counts the left factor first.
class Algebra {
public:
  enum class Kind {
    Graph,
    CompleteGraph,
    Path,
    Coordinates,
    Matrices,
    Triangular,
    Table,
    Quiver,    // quiver(...) and path_algebra(...)
    Incidence, // poset(...)
    Tensor,
    DirectProduct
  };

  Kind kind() const;
  // For people: the canonical expression, where a table is shown by its name, and a graph of more than 32
  // edges by its sizes.
  const std::string &name() const;
  // Canonical and self-contained: "Q(2)^2", "Q(32)*M(4)", "graph(3; 0->1, 1->2)", "table({...})".
  // parseExpression gives back an equal algebra.
  std::string expression() const;
  const Field &field() const;
  int64_t dimension() const;
  int64_t nonzeros() const; // number of nonzero structure constants, closed form
  // Of Tensor and DirectProduct, nested ones flattened; a power is a Tensor of equal factors. Empty for the
  // other kinds.
  const std::vector<Algebra> &factors() const;
  int64_t parameter() const;  // n of Q(n), path(n), D(n), M(n), T(n); the vertex count of a graph; else 0
  const Graph *graph() const; // of Kind::Graph, else null
  const Table *table() const; // of Kind::Table, else null
  const BoundQuiver *boundQuiver() const; // of Kind::Quiver, else null
  const Poset *poset() const;             // of Kind::Incidence, else null

  // The exact table in the numbering above. InputError beyond expansion_limit nonzero constants (about 700
  // MB).
  Table expand() const;
  static constexpr int64_t expansion_limit = int64_t{1} << 24;
  // The constants c[i,j,slot], sorted by (i, j): the terms that are summed into one output slot.
  std::vector<Constant> constantsInto(int64_t slot) const;

  // Whether the basis elements sit at positions (i,j) of a square matrix and multiply as (i,k)(k,j), or
  // vanish, by construction: true of every kind but Table, of Quiver where it happens to be so, and of
  // products of such.
  bool isMatrixLike() const;
  // The same, but for nonzero factors: also of tables whose slots are found to sit so (MatrixPositions), and
  // of products with such.
  bool hasPositions() const;
  // The rest of this block is for algebras with positions only (std::logic_error otherwise).
  bool hasConstantsOne() const; // all nonzero constants
  int64_t positions() const;    // the order n of the position matrix
  Position position(int64_t slot) const;
  std::optional<int64_t> slotAt(Position position) const;
  // The support B(i,j): the k, ascending, for which slot (i,k) times slot (k,j) is kept (paper, eq.
  // recursive-row-action). Empty where (i,j) does not exist.
  std::vector<int64_t> support(int64_t i, int64_t j) const;
  // Rows of the table that are equal are one row type; types keep the order of their first member.
  int64_t rowTypes() const;
  int64_t rowTypeOf(int64_t row) const;
  int64_t firstRowOf(int64_t type) const;

  // "e0", "a0_1", "E1_2", tensor factors joined: "e0(x)a0_1". Graph vertices appear under their own names.
  std::string slotName(int64_t slot) const;

  explicit Algebra(std::shared_ptr<const detail::Construction> construction);
  const detail::Construction &construction() const { return *construction_; }

private:
  std::shared_ptr<const detail::Construction> construction_;
};

} // namespace algebras
