// An algebra given by its structure constants.
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"
#include "algebras/table/matrix_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <tuple>

namespace algebras {

namespace {

class TableConstruction final : public detail::Construction {
public:
  explicit TableConstruction(Table table)
      : Construction(Algebra::Kind::Table, table.field(), table.dimension(), table.nonzeros()),
        table_(std::move(table)) {
    setName(table_.name().empty() ? "table" : table_.name());
  }
  std::string expression() const override { return fmt::format("table({})", printTable(table_)); }
  const Table *table() const override { return &table_; }
  std::vector<Constant> constantsInto(int64_t slot) const override {
    std::call_once(sorted_, [this] { sortByOutput(); });
    const std::vector<Constant> &constants = table_.constants();
    auto place = std::lower_bound(by_output_.begin(), by_output_.end(), slot,
                                  [&](size_t index, int64_t k) { return constants[index].k < k; });
    std::vector<Constant> result;
    for (; place != by_output_.end() && constants[*place].k == slot; ++place)
      result.push_back(constants[*place]);
    return result;
  }
  std::string slotName(int64_t slot) const override { return fmt::format("b{}", slot); }

  bool isMatrixLike() const override { return false; }
  bool hasPositions() const override {
    std::call_once(placed_, [this] { places_ = MatrixPositions::of(table_); });
    return places_.has_value();
  }
  int64_t positions() const override { return places_->order(); }
  Position position(int64_t slot) const override { return places_->position(slot); }
  std::optional<int64_t> slotAt(Position position) const override { return places_->slotAt(position); }
  std::vector<int64_t> support(int64_t i, int64_t j) const override { return places_->support(i, j); }
  int64_t rowTypes() const override { return places_->types(); }
  int64_t rowTypeOf(int64_t row) const override { return places_->typeOf(row); }
  int64_t firstRowOf(int64_t type) const override { return places_->firstRowOf(type); }
  bool hasConstantsOne() const override {
    return std::ranges::all_of(table_.constants(),
                               [](const Constant &one) { return one.value == Rational(1); });
  }

private:
  void sortByOutput() const {
    const std::vector<Constant> &constants = table_.constants();
    by_output_.resize(constants.size());
    std::iota(by_output_.begin(), by_output_.end(), 0);
    std::sort(by_output_.begin(), by_output_.end(), [&](size_t left, size_t right) {
      return std::tie(constants[left].k, left) < std::tie(constants[right].k, right);
    });
  }

  Table table_;
  // Made when it is first asked for: proofs about large tables do without.
  mutable std::once_flag sorted_, placed_;
  mutable std::vector<size_t> by_output_; // indices of the constants, sorted by (k, i, j)
  mutable std::optional<MatrixPositions> places_;
};

} // namespace

Algebra tableAlgebra(Table table) { return Algebra(std::make_shared<TableConstruction>(std::move(table))); }

} // namespace algebras
