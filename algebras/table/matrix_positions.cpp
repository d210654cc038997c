#include "algebras/table/matrix_positions.h"

#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/vector_property_map.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace algebras {

std::optional<MatrixPositions> MatrixPositions::of(const Table &table) {
  MatrixPositions found;
  // Every slot takes part in a product: of a table without that many no memory is taken.
  if (table.dimension() > table.nonzeros() || !found.place(table) || !found.hasUnits(table))
    return std::nullopt;
  found.sortTerms(table);
  found.findTypes();
  return found;
}

// The row of slot s is end 2 s, its column end 2 s + 1. A product makes ends one: the column of the left
// factor and the row of the right one, and those of the result and of what it has them from. What is one then
// are the indices; slots sit at positions where no two have both in common.
bool MatrixPositions::place(const Table &table) {
  const int64_t slots = table.dimension();
  boost::vector_property_map<int64_t> rank(2 * slots), parent(2 * slots);
  boost::disjoint_sets ends(rank, parent);
  for (int64_t end = 0; end < 2 * slots; ++end)
    ends.make_set(end);
  for (const Constant &constant : table.constants()) {
    ends.union_set(2 * constant.i + 1, 2 * constant.j);
    ends.union_set(2 * constant.k, 2 * constant.i);
    ends.union_set(2 * constant.k + 1, 2 * constant.j + 1);
  }
  // Indices are numbered by the slots that have one in both places.
  std::vector<int64_t> number(2 * slots, -1);
  for (int64_t slot = 0; slot < slots; ++slot)
    if (const int64_t row = ends.find_set(2 * slot); row == ends.find_set(2 * slot + 1)) {
      if (number[row] >= 0)
        return false; // two slots at (j,j)
      number[row] = static_cast<int64_t>(diagonal_.size());
      diagonal_.push_back(slot);
    }
  for (int64_t slot = 0; slot < slots; ++slot) {
    const Position position{number[ends.find_set(2 * slot)], number[ends.find_set(2 * slot + 1)]};
    if (position.row < 0 || position.column < 0)
      return false;
    positions_.push_back(position);
  }
  by_place_.resize(slots);
  std::iota(by_place_.begin(), by_place_.end(), 0);
  const auto place = [&](int64_t slot) { return std::tuple(positions_[slot].row, positions_[slot].column); };
  std::ranges::sort(by_place_, {}, place);
  return std::ranges::adjacent_find(by_place_, {}, place) == by_place_.end();
}

bool MatrixPositions::hasUnits(const Table &table) const {
  for (int64_t slot = 0; slot < table.dimension(); ++slot) {
    const auto leaves = [&](int64_t left, int64_t right) {
      return std::ranges::any_of(table.row(left), [&](const Constant &constant) {
        return constant.j == right && constant.k == slot;
      });
    };
    if (!leaves(diagonal_[positions_[slot].row], slot) || !leaves(slot, diagonal_[positions_[slot].column]))
      return false;
  }
  return true;
}

void MatrixPositions::sortTerms(const Table &table) {
  of_rows_.resize(diagonal_.size());
  for (const Constant &constant : table.constants()) {
    const Position left = positions_[constant.i], right = positions_[constant.j];
    of_rows_[left.row].push_back({right.column, left.column, constant.value});
  }
  for (std::vector<Term> &terms : of_rows_)
    std::ranges::sort(terms, {}, [](const Term &term) { return std::tuple(term.column, term.middle); });
}

void MatrixPositions::findTypes() {
  // Rows of equally many terms in the same places are compared with those that came before.
  std::multimap<size_t, int64_t> types_of_size;
  for (int64_t row = 0; row < order(); ++row) {
    const auto [begin, end] = types_of_size.equal_range(of_rows_[row].size());
    const auto same = std::find_if(
        begin, end, [&](const auto &known) { return of_rows_[first_rows_[known.second]] == of_rows_[row]; });
    if (same != end) {
      types_of_rows_.push_back(same->second);
      continue;
    }
    types_of_size.emplace(of_rows_[row].size(), types());
    types_of_rows_.push_back(types());
    first_rows_.push_back(row);
  }
}

std::optional<int64_t> MatrixPositions::slotAt(Position wanted) const {
  const auto place = [&](int64_t slot) { return std::tuple(positions_[slot].row, positions_[slot].column); };
  const auto found = std::ranges::lower_bound(by_place_, std::tuple(wanted.row, wanted.column), {}, place);
  return found != by_place_.end() && positions_[*found] == wanted ? std::optional(*found) : std::nullopt;
}

std::vector<int64_t> MatrixPositions::support(int64_t i, int64_t j) const {
  std::vector<int64_t> result;
  for (const Term &term : std::ranges::equal_range(of_rows_[i], j, {}, &Term::column))
    result.push_back(term.middle);
  return result;
}

} // namespace algebras
