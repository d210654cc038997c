// M(n) and T(n): matrix units.
#include "algebras/checked.h"
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <numeric>

namespace algebras {

namespace {

using detail::MatrixConstruction;
using Kind = Algebra::Kind;

std::string unitName(Position where) { return fmt::format("E{}_{}", where.row, where.column); }

class Matrices final : public MatrixConstruction {
public:
  Matrices(int64_t n, int64_t dimension, int64_t nonzeros, Field field)
      : MatrixConstruction(Kind::Matrices, field, dimension, nonzeros), n_(n) {
    setName(fmt::format("M({})", n));
  }
  int64_t parameter() const override { return n_; }
  int64_t positions() const override { return n_; }
  Position position(int64_t slot) const override { return {slot / n_, slot % n_}; }
  std::optional<int64_t> slotAt(Position where) const override { return where.row * n_ + where.column; }
  std::vector<int64_t> support(int64_t, int64_t) const override {
    std::vector<int64_t> all(n_);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  int64_t rowTypes() const override { return 1; }
  int64_t rowTypeOf(int64_t) const override { return 0; }
  int64_t firstRowOf(int64_t) const override { return 0; }
  std::string slotName(int64_t slot) const override { return unitName(position(slot)); }

private:
  int64_t n_;
};

class Triangular final : public MatrixConstruction {
public:
  Triangular(int64_t n, int64_t dimension, int64_t nonzeros, Field field)
      : MatrixConstruction(Kind::Triangular, field, dimension, nonzeros), n_(n) {
    setName(fmt::format("T({})", n));
  }
  int64_t parameter() const override { return n_; }
  int64_t positions() const override { return n_; }
  Position position(int64_t slot) const override {
    int64_t low = 0, high = n_; // the last row that starts at or before the slot
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      (rowStart(middle) <= slot ? low : high) = middle;
    }
    return {low, low + slot - rowStart(low)};
  }
  std::optional<int64_t> slotAt(Position where) const override {
    if (where.column < where.row)
      return std::nullopt;
    return rowStart(where.row) + where.column - where.row;
  }
  std::vector<int64_t> support(int64_t i, int64_t j) const override {
    if (j < i)
      return {};
    std::vector<int64_t> between(j - i + 1);
    std::iota(between.begin(), between.end(), i);
    return between;
  }
  std::string slotName(int64_t slot) const override { return unitName(position(slot)); }

private:
  // n + (n-1) + ... : below 2^63, since the cube of n is.
  int64_t rowStart(int64_t row) const { return row * (2 * n_ - row + 1) / 2; }

  int64_t n_;
};

} // namespace

Algebra matrices(int64_t n, Field field) {
  if (n < 1)
    throw InputError(fmt::format("M({}): the size has to be at least 1", n));
  int64_t nonzeros = checkedPower(n, 3, fmt::format("the number of products of M({})", n));
  return Algebra(std::make_shared<Matrices>(n, n * n, nonzeros, field));
}

Algebra triangular(int64_t n, Field field) {
  if (n < 1)
    throw InputError(fmt::format("T({}): the size has to be at least 1", n));
  std::string what = fmt::format("the number of products of T({})", n);
  checkedPower(n, 3, what);
  // Pairs i <= k <= j: n(n+1)(n+2)/6.
  auto nonzeros = static_cast<int64_t>(static_cast<__int128>(n) * (n + 1) * (n + 2) / 6);
  return Algebra(std::make_shared<Triangular>(n, n * (n + 1) / 2, nonzeros, field));
}

} // namespace algebras
