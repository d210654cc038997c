// An algebra given by its structure constants.
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace algebras {

namespace {

[[noreturn]] void notMatrixLike() { throw std::logic_error("a table has no positions"); }

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
  int64_t positions() const override { notMatrixLike(); }
  Position position(int64_t) const override { notMatrixLike(); }
  std::optional<int64_t> slotAt(Position) const override { notMatrixLike(); }
  std::vector<int64_t> support(int64_t, int64_t) const override { notMatrixLike(); }
  int64_t rowTypes() const override { notMatrixLike(); }
  int64_t rowTypeOf(int64_t) const override { notMatrixLike(); }
  int64_t firstRowOf(int64_t) const override { notMatrixLike(); }

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
  mutable std::once_flag sorted_;
  mutable std::vector<size_t> by_output_; // indices of the constants, sorted by (k, i, j)
};

} // namespace

Algebra tableAlgebra(Table table) { return Algebra(std::make_shared<TableConstruction>(std::move(table))); }

} // namespace algebras
