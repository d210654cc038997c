// The path algebra of a quiver modulo relations, with a basis of paths.
#pragma once

#include "algebras/quiver/completion.h"
#include "algebras/quiver/path_basis.h"
#include "algebras/table/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

class BoundQuiver {
public:
  // The quotient by the ideal of the relations, whose coefficients are elements of the field. The basis are
  // the paths that the Groebner basis leaves as they are. InputError when the quotient is
  // infinite-dimensional, with the cycle that no relation stops; when it is zero; beyond
  // PathBasis::kMostPaths or Algebra::kExpansionLimit constants; and where the completion does not stop
  // (completion.h).
  static BoundQuiver modulo(Quiver quiver, std::vector<Relation> relations, const Field &field);
  // The quotient by all paths of `below` arrows, at least 1. `notation` is how the quiver was given: "Q(3)".
  static BoundQuiver truncated(Quiver quiver, int64_t below, std::string notation, const Field &field);

  const Quiver &quiver() const { return quiver_; }
  const std::vector<Relation> &relations() const { return relations_; } // as given
  const PathBasis &basis() const { return basis_; }
  // The vertices whose idempotent is not zero, ascending; their number is the order of the position matrix.
  const std::vector<int64_t> &vertices() const { return vertices_; }
  // Where a product of two paths is a path or zero: nothing. Otherwise the whole table.
  const std::optional<Table> &products() const { return products_; }
  // The arrows span the radical, and its powers are spanned by the longer paths.
  bool isGraded() const { return !rules_.usesIdempotents() && rules_.isHomogeneous(); }
  int64_t nonzeros() const { return nonzeros_; }
  // "quiver(...)" or "path_algebra(...)", read back by parseExpression.
  const std::string &expression() const { return expression_; }
  bool isTruncated() const { return is_truncated_; }
  std::string slotName(int64_t slot) const;

private:
  BoundQuiver(Quiver quiver, std::vector<Relation> relations, std::optional<int64_t> below,
              const Field &field);

  Quiver quiver_;
  std::vector<Relation> relations_;
  RewritingRules rules_;
  PathBasis basis_;
  std::vector<int64_t> vertices_;
  std::optional<Table> products_;
  bool is_truncated_ = false;
  int64_t nonzeros_ = 0;
  std::string expression_;
};

} // namespace algebras
