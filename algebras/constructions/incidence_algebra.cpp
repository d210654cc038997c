// The incidence algebra of a poset: a slot for every pair i <= j, and all products (i,k)(k,j).
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

class Incidence final : public detail::MatrixConstruction {
public:
  Incidence(Poset poset, Field field)
      : MatrixConstruction(Algebra::Kind::Incidence, field, poset.pairs(), poset.triples()),
        poset_(std::move(poset)) {
    constexpr size_t spelled_out = 32;
    setName(poset_.covers().size() <= spelled_out
                ? poset_.expression()
                : fmt::format("poset({} elements, {} covers)", poset_.size(), poset_.covers().size()));
    row_starts_.push_back(0);
    for (int64_t element = 0; element < poset_.size(); ++element)
      row_starts_.push_back(row_starts_.back() + static_cast<int64_t>(poset_.above(element).size()));
  }
  std::string expression() const override { return poset_.expression(); }
  const Poset *poset() const override { return &poset_; }
  int64_t positions() const override { return poset_.size(); }
  Position position(int64_t slot) const override {
    int64_t row = std::upper_bound(row_starts_.begin(), row_starts_.end(), slot) - row_starts_.begin() - 1;
    return {row, poset_.above(row)[slot - row_starts_[row]]};
  }
  std::optional<int64_t> slotAt(Position where) const override {
    const std::vector<int64_t> &columns = poset_.above(where.row);
    auto place = std::lower_bound(columns.begin(), columns.end(), where.column);
    if (place == columns.end() || *place != where.column)
      return std::nullopt;
    return row_starts_[where.row] + (place - columns.begin());
  }
  std::vector<int64_t> support(int64_t i, int64_t j) const override { return poset_.interval(i, j); }
  std::string slotName(int64_t slot) const override {
    Position where = position(slot);
    return fmt::format("E{}_{}", poset_.elementName(where.row), poset_.elementName(where.column));
  }

private:
  Poset poset_;
  std::vector<int64_t> row_starts_; // slots of row i begin here
};

} // namespace

Algebra incidenceAlgebra(Poset poset, Field field) {
  return Algebra(std::make_shared<Incidence>(std::move(poset), field));
}

} // namespace algebras
