#include "algebras/row_types.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace algebras {

namespace {

void requirePositive(int64_t count, int64_t width) {
  if (count < 1)
    throw InputError(fmt::format("a schedule of {} row types: at least 1 is needed", count));
  if (width < 1)
    throw InputError(
        fmt::format("row types in intervals of {} positions: the width has to be at least 1", width));
  checkedMultiply(count, width, "the period of the row types");
}

} // namespace

RowTypes RowTypes::cyclic(int64_t count) {
  requirePositive(count, 1);
  RowTypes types;
  types.count_ = count;
  return types;
}

RowTypes RowTypes::interval(int64_t count, int64_t width) {
  requirePositive(count, width);
  if (width == 1)
    return cyclic(count);
  RowTypes types;
  types.kind_ = Kind::Interval;
  types.count_ = count;
  types.width_ = width;
  return types;
}

RowTypes RowTypes::explicitTypes(int64_t count) {
  requirePositive(count, 1);
  RowTypes types;
  types.kind_ = Kind::Explicit;
  types.count_ = count;
  return types;
}

RowTypes RowTypes::parse(std::string_view text, int64_t count) {
  if (text == "cyclic")
    return cyclic(count);
  if (text == "explicit")
    return explicitTypes(count);
  if (text.starts_with("interval(") && text.ends_with(")")) {
    std::string_view digits = text.substr(9, text.size() - 10);
    int64_t width = 0;
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
    if (code == std::errc() && end == digits.data() + digits.size())
      return interval(count, width);
  }
  throw InputError(fmt::format("'{}' is not a schedule of row types", text.substr(0, 80)))
      .hint("write \"cyclic\", \"interval(192)\" with the width of an interval, or \"explicit\"");
}

int64_t RowTypes::period() const { return count_ * width_; }

std::string RowTypes::toString() const {
  switch (kind_) {
  case Kind::Cyclic:
    return "cyclic";
  case Kind::Interval:
    return fmt::format("interval({})", width_);
  case Kind::Explicit:
    return "explicit";
  }
  __builtin_unreachable();
}

int64_t RowTypes::typeAt(int64_t position) const {
  if (kind_ == Kind::Explicit)
    throw std::logic_error("explicit row types are known only at run time");
  if (position < 0)
    throw InputError(fmt::format("position {} is negative; positions count from 0", position));
  return position % period() / width_;
}

int64_t RowTypes::countOf(int64_t type, int64_t m, int64_t p0) const {
  if (kind_ == Kind::Explicit)
    throw std::logic_error("explicit row types are known only at run time");
  if (type < 0 || type >= count_)
    throw std::out_of_range(fmt::format("row type {} of {}", type, count_));
  if (m < 0 || p0 < 0)
    throw InputError(fmt::format("{} rows from position {}: neither may be negative", m, p0));
  if (m == 0)
    return 0;
  // Positions up to `last` with this type: whole periods, and what the last one has reached. Up to the
  // largest position of all there may be one more than 63 bits hold.
  auto up_to = [&](int64_t last) {
    const int64_t rest = last % period() - type * width_ + 1;
    return static_cast<uint64_t>(last / period() * width_) + static_cast<uint64_t>(rest < 0        ? 0
                                                                                   : rest > width_ ? width_
                                                                                                   : rest);
  };
  return static_cast<int64_t>(up_to(checkedAdd(p0, m - 1, "the last position")) -
                              (p0 == 0 ? 0 : up_to(p0 - 1)));
}

} // namespace algebras
