// Bound quiver algebras: paths as slots, and where there is one path at most between two vertices, their
// positions.
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"
#include "algebras/quiver/bound_quiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace algebras {

namespace {

class QuiverAlgebra final : public detail::Construction {
public:
  QuiverAlgebra(BoundQuiver bound, Field field)
      : Construction(Algebra::Kind::Quiver, field, bound.basis().size(), bound.nonzeros()),
        bound_(std::move(bound)) {
    constexpr size_t spelled_out = 400; // characters
    setName(bound_.expression().size() <= spelled_out ? bound_.expression() : shortName());
    if (bound_.products())
      sortByOutput();
    place();
    if (matrix_like_)
      mergeRows();
  }

  std::string expression() const override { return bound_.expression(); }
  const BoundQuiver *boundQuiver() const override { return &bound_; }
  std::string slotName(int64_t slot) const override { return bound_.slotName(slot); }

  std::vector<Constant> constantsInto(int64_t slot) const override {
    std::vector<Constant> result;
    if (bound_.products()) {
      const std::vector<Constant> &constants = bound_.products()->constants();
      auto begin = std::lower_bound(by_output_.begin(), by_output_.end(), slot,
                                    [&](uint32_t index, int64_t k) { return constants[index].k < k; });
      for (; begin != by_output_.end() && constants[*begin].k == slot; ++begin)
        result.push_back(constants[*begin]);
      return result;
    }
    // The path cut at every vertex: first pieces from the whole path down, second pieces from nothing up.
    const PathBasis &basis = bound_.basis();
    std::vector<int64_t> first{slot}, second{slot};
    while (basis.path(first.back()).length > 0)
      first.push_back(basis.path(first.back()).without_last);
    while (basis.path(second.back()).length > 0)
      second.push_back(basis.path(second.back()).without_first);
    for (size_t cut = 0; cut < first.size(); ++cut)
      result.push_back({first[first.size() - 1 - cut], second[cut], slot, Rational(1)});
    std::sort(result.begin(), result.end(),
              [](const Constant &a, const Constant &b) { return std::tie(a.i, a.j) < std::tie(b.i, b.j); });
    return result;
  }

  bool isMatrixLike() const override { return matrix_like_; }
  int64_t positions() const override { return static_cast<int64_t>(bound_.vertices().size()); }
  Position position(int64_t slot) const override {
    const PathBasis::Path &path = bound_.basis().path(slot);
    return {positions_[path.source], positions_[path.target]};
  }
  std::optional<int64_t> slotAt(Position where) const override {
    int64_t low = row_starts_[where.row], high = row_starts_[where.row + 1];
    const PathBasis &basis = bound_.basis();
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (positions_[basis.path(middle).target] < where.column)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == row_starts_[where.row + 1] || positions_[basis.path(low).target] != where.column)
      return std::nullopt;
    return low;
  }
  std::vector<int64_t> support(int64_t i, int64_t j) const override {
    std::vector<int64_t> result;
    if (std::optional<int64_t> slot = slotAt({i, j}))
      for (const Constant &constant : constantsInto(*slot))
        result.push_back(position(constant.i).column); // sorted, as slots of one row ascend with their column
    return result;
  }
  int64_t rowTypes() const override { return static_cast<int64_t>(first_rows_.size()); }
  int64_t rowTypeOf(int64_t row) const override { return types_[row]; }
  int64_t firstRowOf(int64_t type) const override { return first_rows_[type]; }

private:
  std::string shortName() const {
    const char *kind = bound_.isTruncated() ? "path_algebra" : "quiver";
    return fmt::format(
        "{}({} vertices, {} arrows{})", kind, bound_.quiver().vertexCount(), bound_.quiver().arrowCount(),
        bound_.relations().empty() ? "" : fmt::format(", {} relations", bound_.relations().size()));
  }

  void sortByOutput() {
    const std::vector<Constant> &constants = bound_.products()->constants();
    by_output_.resize(constants.size());
    std::iota(by_output_.begin(), by_output_.end(), 0);
    std::sort(by_output_.begin(), by_output_.end(), [&](uint32_t left, uint32_t right) {
      return std::tie(constants[left].k, left) < std::tie(constants[right].k, right);
    });
  }

  // Positions of vertices, and whether the paths sit at positions: one between two vertices at most, products
  // with coefficients 1. (A vertex's own path is its idempotent.)
  void place() {
    const PathBasis &basis = bound_.basis();
    positions_.assign(bound_.quiver().vertexCount(), -1);
    for (size_t index = 0; index < bound_.vertices().size(); ++index)
      positions_[bound_.vertices()[index]] = static_cast<int64_t>(index);
    matrix_like_ = true;
    for (int64_t slot = 1; slot < basis.size(); ++slot)
      if (basis.path(slot).source == basis.path(slot - 1).source &&
          basis.path(slot).target == basis.path(slot - 1).target)
        matrix_like_ = false;
    if (bound_.products())
      for (const Constant &constant : bound_.products()->constants())
        matrix_like_ = matrix_like_ && constant.value.isOne();
    if (!matrix_like_)
      return;
    row_starts_.assign(bound_.vertices().size() + 1, 0);
    for (int64_t slot = 0; slot < basis.size(); ++slot)
      ++row_starts_[positions_[basis.path(slot).source] + 1];
    std::partial_sum(row_starts_.begin(), row_starts_.end(), row_starts_.begin());
  }

  // Rows that are equal have a path from each to the other, which only relations with idempotents allow.
  void mergeRows() {
    int64_t n = positions();
    types_.assign(n, -1);
    auto row = [&](int64_t i) {
      std::vector<std::vector<int64_t>> supports;
      for (int64_t j = 0; j < n; ++j)
        supports.push_back(support(i, j));
      return supports;
    };
    for (int64_t i = 0; i < n; ++i) {
      if (bound_.products())
        for (int64_t earlier = 0; earlier < i && types_[i] < 0; ++earlier)
          if (slotAt({i, earlier}) && slotAt({earlier, i}) && row(i) == row(earlier))
            types_[i] = types_[earlier];
      if (types_[i] >= 0)
        continue;
      types_[i] = static_cast<int64_t>(first_rows_.size());
      first_rows_.push_back(i);
    }
  }

  BoundQuiver bound_;
  std::vector<uint32_t> by_output_; // indices of the constants, sorted by (k, i, j)
  bool matrix_like_ = false;
  std::vector<int64_t> positions_;  // by vertex of the quiver; -1 where it is zero
  std::vector<int64_t> row_starts_; // slots of row i begin here
  std::vector<int64_t> types_, first_rows_;
};

} // namespace

Algebra quiverAlgebra(Quiver quiver, std::vector<Relation> relations, Field field) {
  return Algebra(std::make_shared<QuiverAlgebra>(
      BoundQuiver::modulo(std::move(quiver), std::move(relations), field), field));
}

Algebra pathAlgebra(Quiver quiver, int64_t below, std::string notation, Field field) {
  return Algebra(std::make_shared<QuiverAlgebra>(
      BoundQuiver::truncated(std::move(quiver), below, std::move(notation), field), field));
}

} // namespace algebras
