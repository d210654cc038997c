// Tensor products: every index is a tuple, the left factor the major one, and constants multiply.
#include "algebras/checked.h"
#include "algebras/constructions.h"
#include "algebras/constructions/construction.h"
#include "algebras/constructions/flatten.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace algebras {

namespace {

using detail::Construction;
using Kind = Algebra::Kind;

// A factor inside a product; direct products need parentheses.
std::string inner(const Algebra &factor, const std::string &text) {
  return factor.kind() == Kind::DirectProduct ? "(" + text + ")" : text;
}

// The same factor for sure; equal names of tables prove nothing.
bool isSame(const Algebra &left, const Algebra &right) {
  if (&left.construction() == &right.construction())
    return true;
  return left.kind() == right.kind() && left.parameter() > 0 && left.kind() != Kind::Graph &&
         left.parameter() == right.parameter();
}

// "Q(2)^2*M(4)": equal neighbours become a power.
std::string join(const std::vector<Algebra> &factors, std::string (*print)(const Algebra &)) {
  std::string result;
  for (size_t first = 0; first < factors.size();) {
    size_t last = first;
    while (last < factors.size() && isSame(factors[last], factors[first]))
      ++last;
    result += (first == 0 ? "" : "*") + inner(factors[first], print(factors[first]));
    if (last - first > 1)
      result += fmt::format("^{}", last - first);
    first = last;
  }
  return result;
}

class TensorProduct final : public Construction {
public:
  TensorProduct(std::vector<Algebra> factors, int64_t dimension, int64_t nonzeros)
      : Construction(Kind::Tensor, factors[0].field(), dimension, nonzeros), factors_(std::move(factors)) {
    setName(join(factors_, [](const Algebra &factor) { return factor.name(); }));
    matrix_like_ =
        std::all_of(factors_.begin(), factors_.end(), [](const Algebra &f) { return f.isMatrixLike(); });
  }
  std::string expression() const override {
    return join(factors_, [](const Algebra &factor) { return factor.expression(); });
  }
  const std::vector<Algebra> &factors() const override { return factors_; }

  std::vector<Constant> constantsInto(int64_t slot) const override {
    std::vector<int64_t> parts = split(slot, &Algebra::dimension);
    std::vector<Constant> result{{0, 0, slot, Rational(1)}};
    for (size_t f = 0; f < factors_.size(); ++f) {
      std::vector<Constant> own = factors_[f].constantsInto(parts[f]), next;
      next.reserve(result.size() * own.size());
      int64_t size = factors_[f].dimension();
      for (const Constant &left : result)
        for (const Constant &right : own)
          next.push_back({left.i * size + right.i, left.j * size + right.j, slot,
                          field().multiply(left.value, right.value)});
      result = std::move(next);
    }
    std::sort(result.begin(), result.end(),
              [](const Constant &a, const Constant &b) { return std::tie(a.i, a.j) < std::tie(b.i, b.j); });
    return result;
  }
  std::string slotName(int64_t slot) const override {
    std::vector<int64_t> parts = split(slot, &Algebra::dimension);
    std::string result;
    for (size_t f = 0; f < factors_.size(); ++f)
      result += (f == 0 ? "" : "(x)") + factors_[f].slotName(parts[f]);
    return result;
  }

  bool isMatrixLike() const override { return matrix_like_; }
  bool hasPositions() const override { return std::ranges::all_of(factors_, &Algebra::hasPositions); }
  bool hasConstantsOne() const override { return std::ranges::all_of(factors_, &Algebra::hasConstantsOne); }
  int64_t positions() const override { return product(&Algebra::positions); }
  Position position(int64_t slot) const override {
    std::vector<int64_t> parts = split(slot, &Algebra::dimension);
    Position result;
    for (size_t f = 0; f < factors_.size(); ++f) {
      Position own = factors_[f].position(parts[f]);
      int64_t n = factors_[f].positions();
      result = {result.row * n + own.row, result.column * n + own.column};
    }
    return result;
  }
  std::optional<int64_t> slotAt(Position where) const override {
    std::vector<int64_t> rows = split(where.row, &Algebra::positions);
    std::vector<int64_t> columns = split(where.column, &Algebra::positions);
    int64_t result = 0;
    for (size_t f = 0; f < factors_.size(); ++f) {
      std::optional<int64_t> own = factors_[f].slotAt({rows[f], columns[f]});
      if (!own)
        return std::nullopt;
      result = result * factors_[f].dimension() + *own;
    }
    return result;
  }
  // The product of the factors' supports; ascending, since each is and the left one is major.
  std::vector<int64_t> support(int64_t i, int64_t j) const override {
    std::vector<int64_t> rows = split(i, &Algebra::positions), columns = split(j, &Algebra::positions);
    std::vector<int64_t> result{0};
    for (size_t f = 0; f < factors_.size() && !result.empty(); ++f) {
      std::vector<int64_t> own = factors_[f].support(rows[f], columns[f]), next;
      next.reserve(result.size() * own.size());
      for (int64_t left : result)
        for (int64_t right : own)
          next.push_back(left * factors_[f].positions() + right);
      result = std::move(next);
    }
    return result;
  }
  // Rows of a tensor product are equal exactly when they are equal in every factor, because no row of a
  // factor is empty.
  int64_t rowTypes() const override { return product(&Algebra::rowTypes); }
  int64_t rowTypeOf(int64_t row) const override {
    std::vector<int64_t> rows = split(row, &Algebra::positions);
    int64_t result = 0;
    for (size_t f = 0; f < factors_.size(); ++f)
      result = result * factors_[f].rowTypes() + factors_[f].rowTypeOf(rows[f]);
    return result;
  }
  int64_t firstRowOf(int64_t type) const override {
    std::vector<int64_t> types = split(type, &Algebra::rowTypes);
    int64_t result = 0;
    for (size_t f = 0; f < factors_.size(); ++f)
      result = result * factors_[f].positions() + factors_[f].firstRowOf(types[f]);
    return result;
  }

private:
  using Size = int64_t (Algebra::*)() const;

  int64_t product(Size size) const {
    int64_t result = 1;
    for (const Algebra &factor : factors_)
      result *= (factor.*size)(); // at most the dimension, which fits
    return result;
  }
  // The mixed-radix digits of an index, one for each factor.
  std::vector<int64_t> split(int64_t index, Size size) const {
    std::vector<int64_t> parts(factors_.size());
    for (size_t f = factors_.size(); f-- > 0;) {
      int64_t radix = (factors_[f].*size)();
      parts[f] = index % radix;
      index /= radix;
    }
    return parts;
  }

  std::vector<Algebra> factors_;
  bool matrix_like_ = false;
};

} // namespace

namespace detail {

std::vector<Algebra> flatten(Algebra::Kind kind, const Algebra &left, const Algebra &right) {
  if (left.field() != right.field())
    throw InputError(fmt::format("{} is over {}, {} over {}; the factors of a product need one field",
                                 left.name(), left.field().name(), right.name(), right.field().name()));
  std::vector<Algebra> result;
  for (const Algebra *side : {&left, &right}) {
    if (side->kind() == kind)
      result.insert(result.end(), side->factors().begin(), side->factors().end());
    else
      result.push_back(*side);
  }
  constexpr size_t maximum_factors = 1024;
  if (result.size() > maximum_factors)
    throw InputError(fmt::format("a product of more than {} factors", maximum_factors));
  return result;
}

} // namespace detail

Algebra tensor(const Algebra &left, const Algebra &right) {
  int64_t dimension =
      checkedMultiply(left.dimension(), right.dimension(), "the dimension of a tensor product");
  int64_t nonzeros =
      checkedMultiply(left.nonzeros(), right.nonzeros(), "the number of products of a tensor product");
  return Algebra(
      std::make_shared<TensorProduct>(detail::flatten(Kind::Tensor, left, right), dimension, nonzeros));
}

Algebra power(const Algebra &base, int64_t exponent) {
  constexpr int64_t maximum_exponent = 64; // already 2^64 is out of range
  if (exponent < 1 || exponent > maximum_exponent)
    throw InputError(fmt::format("exponent {}: it has to be between 1 and {}", exponent, maximum_exponent));
  // Before any work, so that sizes that cannot be are refused at once.
  checkedPower(base.dimension(), exponent, "the dimension of a tensor power");
  checkedPower(base.nonzeros(), exponent, "the number of products of a tensor power");
  Algebra result = base;
  for (int64_t step = 1; step < exponent; ++step)
    result = tensor(result, base);
  return result;
}

} // namespace algebras
