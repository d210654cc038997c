// Direct products: the factors side by side, products across vanish. Of matrix-like factors: block-diagonal
// matrices.
#include "algebras/checked.h"
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"
#include "algebras/constructions/flatten.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using detail::Construction;
using Kind = Algebra::Kind;

std::string join(const std::vector<Algebra> &factors, std::string (*print)(const Algebra &)) {
  std::string result;
  for (const Algebra &factor : factors)
    result += (result.empty() ? "" : "+") + print(factor);
  return result;
}

class DirectProduct final : public Construction {
public:
  DirectProduct(std::vector<Algebra> factors, int64_t dimension, int64_t nonzeros)
      : Construction(Kind::DirectProduct, factors[0].field(), dimension, nonzeros),
        factors_(std::move(factors)) {
    setName(join(factors_, [](const Algebra &factor) { return factor.name(); }));
    matrix_like_ =
        std::all_of(factors_.begin(), factors_.end(), [](const Algebra &f) { return f.isMatrixLike(); });
  }
  std::string expression() const override {
    return join(factors_, [](const Algebra &factor) { return factor.expression(); });
  }
  const std::vector<Algebra> &factors() const override { return factors_; }

  std::vector<Constant> constantsInto(int64_t slot) const override {
    Place place = find(slot, &Algebra::dimension);
    std::vector<Constant> result = factors_[place.factor].constantsInto(place.rest);
    for (Constant &constant : result) {
      constant.i += place.start;
      constant.j += place.start;
      constant.k += place.start;
    }
    return result;
  }
  std::string slotName(int64_t slot) const override {
    Place place = find(slot, &Algebra::dimension);
    return fmt::format("{}:{}", place.factor, factors_[place.factor].slotName(place.rest));
  }

  bool isMatrixLike() const override { return matrix_like_; }
  bool hasPositions() const override { return std::ranges::all_of(factors_, &Algebra::hasPositions); }
  bool hasConstantsOne() const override { return std::ranges::all_of(factors_, &Algebra::hasConstantsOne); }
  int64_t positions() const override { return sum(&Algebra::positions); }
  Position position(int64_t slot) const override {
    Place place = find(slot, &Algebra::dimension);
    Position own = factors_[place.factor].position(place.rest);
    int64_t start = startOf(place.factor, &Algebra::positions);
    return {start + own.row, start + own.column};
  }
  std::optional<int64_t> slotAt(Position where) const override {
    Place row = find(where.row, &Algebra::positions), column = find(where.column, &Algebra::positions);
    if (row.factor != column.factor)
      return std::nullopt;
    std::optional<int64_t> own = factors_[row.factor].slotAt({row.rest, column.rest});
    return own ? std::optional(startOf(row.factor, &Algebra::dimension) + *own) : std::nullopt;
  }
  std::vector<int64_t> support(int64_t i, int64_t j) const override {
    Place row = find(i, &Algebra::positions), column = find(j, &Algebra::positions);
    if (row.factor != column.factor)
      return {};
    std::vector<int64_t> result = factors_[row.factor].support(row.rest, column.rest);
    for (int64_t &k : result)
      k += row.start;
    return result;
  }
  int64_t rowTypes() const override { return sum(&Algebra::rowTypes); }
  int64_t rowTypeOf(int64_t row) const override {
    Place place = find(row, &Algebra::positions);
    return startOf(place.factor, &Algebra::rowTypes) + factors_[place.factor].rowTypeOf(place.rest);
  }
  int64_t firstRowOf(int64_t type) const override {
    Place place = find(type, &Algebra::rowTypes);
    return startOf(place.factor, &Algebra::positions) + factors_[place.factor].firstRowOf(place.rest);
  }

private:
  using Size = int64_t (Algebra::*)() const;

  struct Place {
    size_t factor;
    int64_t start, rest;
  };

  // The factor that holds an index, where it starts, and the index within it.
  Place find(int64_t index, Size size) const {
    int64_t start = 0;
    for (size_t factor = 0;; ++factor) {
      int64_t own = (factors_[factor].*size)();
      if (index - start < own)
        return {factor, start, index - start};
      start += own;
    }
  }
  int64_t startOf(size_t factor, Size size) const {
    int64_t start = 0;
    for (size_t before = 0; before < factor; ++before)
      start += (factors_[before].*size)();
    return start;
  }
  int64_t sum(Size size) const { return startOf(factors_.size(), size); }

  std::vector<Algebra> factors_;
  bool matrix_like_ = false;
};

} // namespace

Algebra directProduct(const Algebra &left, const Algebra &right) {
  int64_t dimension = checkedAdd(left.dimension(), right.dimension(), "the dimension of a direct product");
  int64_t nonzeros =
      checkedAdd(left.nonzeros(), right.nonzeros(), "the number of products of a direct product");
  return Algebra(std::make_shared<DirectProduct>(detail::flatten(Kind::DirectProduct, left, right), dimension,
                                                 nonzeros));
}

} // namespace algebras
