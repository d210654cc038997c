// How an algebra becomes a projection of Transformer features.
#pragma once

#include "algebras/algebra.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace algebras {

// One block GEMM: output += coefficient * x[input_group] * W[weight_row, output_group].
struct BlockTerm {
  int64_t input_group = 0, weight_row = 0;
  Rational coefficient;
  bool operator==(const BlockTerm &) const = default;
};

// Where the terms of (type i, output group j) of a row lift follow from the indices alone: each has
// coefficient 1, and its weight row is its input group. Transposed, they go from the groups that these name
// back to j.
enum class TermFormula {
  Complete,   // i and j: complete graphs
  Triangular, // i, i + 1, ..., j where i <= j, else none: T(n)
  Diagonal,   // i where i = j, else none: D(n)
  Full        // all, of the one type that there is: M(n)
};

// Rows: a token of type i carries row i of the position matrix; x has n groups, y has n groups, the weight
// matrix is n x n blocks and block (k,j) is slot (k,j) (paper, sec. layers; eq. recursive-row-action). A
// table's constants need not be 1. Slots: a token carries all m slots; y_k = sum c[i,j,k] x_i W_j, and the
// weight matrix is m blocks W_j of equal shape. The weight_row of a term is then j, the block, and does not
// depend on the output group.
class Lift {
public:
  enum class Kind { Rows, Slots };

  // InputError when the algebra has no positions.
  static Lift rows(const Algebra &algebra);
  static Lift slots(const Algebra &algebra);
  // "rows" or "slots"; InputError otherwise.
  static Lift parse(std::string_view kind, const Algebra &algebra);

  // The same contraction read backwards, dX = dY W^T: a term c x_i w_j of y_k is a term c y_k w_j^T of x_i.
  // Input groups are those that this lift writes, output groups those that it reads. A weight row names a
  // block of the transposed weight matrix: in rows, block (weight_row, output_group) of it is the transpose
  // of block (output_group, weight_row) of the weight matrix; in slots, block j that of block j. Costs the
  // terms, in time and memory, but for formulas, and for tensor products those of the factors; the transpose
  // of a transpose is the lift itself.
  Lift transposed() const;
  bool isTransposed() const { return transposed_; }

  Kind kind() const { return kind_; }
  const Algebra &algebra() const { return algebra_; }
  int64_t types() const { return types_; }         // rows: merged row types; slots: 1
  int64_t inputGroups() const { return groups_; }  // rows: n; slots: m
  int64_t outputGroups() const { return groups_; } // as many
  int64_t weightRows() const { return groups_; }   // as many
  int64_t typeOfRow(int64_t position) const;       // the merged type of row `position` of the position matrix
  // What a user should hear about this choice of lift, for example that D(n) wants slots; empty when nothing.
  const std::string &note() const { return note_; }

  // The lifts of a tensor product's factors, left ones first, of the same kind and direction: types, groups
  // and weight rows of this lift are tuples of theirs, the left ones major, terms are tuples of terms, and
  // coefficients multiply. Empty for other algebras.
  const std::vector<Lift> &factors() const;
  std::optional<TermFormula> formula() const;

  // Ascending input group, then weight row; empty where the type does not write the group. Computed on
  // demand.
  std::vector<BlockTerm> terms(int64_t type, int64_t output_group) const;
  // Their number, for formulas and products of such without computing them.
  int64_t termCount(int64_t type, int64_t output_group) const;
  // Terms of one type, over all output groups.
  int64_t termCountOfType(int64_t type) const;
  // Terms of all types together: the block GEMMs that one row of each type needs.
  int64_t termCount() const;
  // q when the support is exactly B(i,j) = {i, j} of Q(q) in the row lift, with coefficients 1. Transposed:
  // all groups for j = i, else {j}.
  std::optional<int64_t> completeGraph() const;
  // Whether this is the row lift of a graph: y_j of type i has the terms i and j, with coefficients 1, where
  // i has an edge to j, i alone where j = i, and else none. Complete graphs, paths and D(n) are among them;
  // a transposed lift is not one.
  bool isGraph() const;

  // Whether a token of `type` uses input group `group`, or writes output group `group` (what is not written
  // is zero).
  bool reads(int64_t type, int64_t group) const;
  bool writes(int64_t type, int64_t group) const;
  // Rows: whether some type uses block (weight_row, output_group). Slots: whether some term uses block
  // weight_row.
  bool isLive(int64_t weight_row, int64_t output_group) const;
  // Blocks of the weight matrix that are live, of weightBlocks() in all (rows: n*n, slots: m).
  int64_t liveBlocks() const;
  int64_t weightBlocks() const;
  // Rows: whether W_jj = I and all else 0 makes every type the identity map: every position has to exist, and
  // constants to be 1.
  // Slots: whether the blocks u_j I of the algebra's identity do, that is, whether the algebra is unital.
  bool weightIdentityIsIdentity() const;

private:
  Lift(Kind kind, const Algebra &algebra);
  // Of the lift that is not transposed.
  bool hasInput(int64_t type, int64_t group) const;
  bool hasOutput(int64_t type, int64_t group) const;
  std::vector<BlockTerm> termsOfFactors(int64_t type, int64_t output_group) const;
  // Of rows: what constants there are other than 1.
  void setCoefficients(int64_t row, int64_t output_group, std::vector<BlockTerm> &terms) const;
  Kind kind_;
  Algebra algebra_;
  int64_t types_ = 1, groups_ = 0;
  std::string note_;
  bool transposed_ = false;
  struct Details;
  std::shared_ptr<const Details> details_;
  void transposeTerms(Details &details) const;
};

} // namespace algebras
