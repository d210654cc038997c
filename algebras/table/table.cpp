#include "algebras/table/table.h"

#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace algebras {

namespace {

auto key(const Constant &constant) { return std::tie(constant.i, constant.j, constant.k); }

std::string describe(const Constant &constant) {
  return fmt::format("constant [{}, {}, {}]", constant.i, constant.j, constant.k);
}

} // namespace

DuplicateConstant::DuplicateConstant(const Constant &constant)
    : InputError(fmt::format("{} is given twice", describe(constant))),
      slots_{constant.i, constant.j, constant.k} {
  hint("give each (i, j, k) once, with its sum");
}

void Table::requireDimension(int64_t dimension) {
  if (dimension < 1)
    throw InputError(fmt::format("dimension {}: it has to be at least 1", dimension));
}

Table::Table(std::string name, Field field, int64_t dimension, std::vector<Constant> constants,
             std::optional<std::vector<Rational>> identity, std::optional<SourceLocation> identity_place)
    : name_(std::move(name)), field_(field), dimension_(dimension), constants_(std::move(constants)),
      identity_(std::move(identity)), identity_place_(std::move(identity_place)) {
  requireDimension(dimension_);
  for (Constant &constant : constants_) {
    for (int64_t index : {constant.i, constant.j, constant.k})
      if (index < 0 || index >= dimension_)
        throw InputError(fmt::format("{}: indices count from 0 to {}", describe(constant), dimension_ - 1));
    if (!field_.isRationals())
      constant.value = field_.reduce(constant.value);
  }
  if (!std::is_sorted(constants_.begin(), constants_.end(),
                      [](const Constant &left, const Constant &right) { return key(left) < key(right); }))
    std::sort(constants_.begin(), constants_.end(),
              [](const Constant &left, const Constant &right) { return key(left) < key(right); });
  auto twice =
      std::adjacent_find(constants_.begin(), constants_.end(),
                         [](const Constant &left, const Constant &right) { return key(left) == key(right); });
  if (twice != constants_.end())
    throw DuplicateConstant(*twice);
  std::erase_if(constants_, [](const Constant &constant) { return constant.value.isZero(); });
  if (!identity_)
    return;
  if (static_cast<int64_t>(identity_->size()) != dimension_)
    throw InputError(
        fmt::format("the identity has {} coefficients, the dimension is {}", identity_->size(), dimension_));
  for (Rational &coefficient : *identity_)
    coefficient = field_.reduce(coefficient);
}

std::span<const Constant> Table::row(int64_t i) const {
  auto begin = std::lower_bound(constants_.begin(), constants_.end(), i,
                                [](const Constant &constant, int64_t index) { return constant.i < index; });
  auto end = std::upper_bound(begin, constants_.end(), i,
                              [](int64_t index, const Constant &constant) { return index < constant.i; });
  return {begin, end};
}

bool Table::sameProduct(const Table &other) const {
  return field_ == other.field_ && dimension_ == other.dimension_ && constants_ == other.constants_;
}

} // namespace algebras
