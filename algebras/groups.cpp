#include "algebras/groups.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace algebras {

Groups Groups::equal(int64_t count, int64_t width) {
  if (count < 1 || width < 1)
    throw InputError(fmt::format("{} groups of width {}: both have to be at least 1", count, width));
  Groups groups;
  groups.count_ = count;
  groups.width_ = width;
  groups.total_ = checkedMultiply(count, width, "the total width of the groups");
  return groups;
}

Groups Groups::dividing(int64_t total, int64_t count) {
  if (total < 1)
    throw InputError(fmt::format("a width of {} features: it has to be at least 1", total));
  if (count < 1)
    throw InputError(fmt::format("{} groups: at least 1 is needed", count));
  if (total % count != 0)
    throw InputError(fmt::format("{} features cannot be cut into {} equal groups: {} does not divide {}",
                                 total, count, count, total))
        .hint("give the widths of the groups one by one: in_groups, out_groups, of a program hidden_groups");
  return equal(count, total / count);
}

Groups Groups::explicitWidths(std::vector<int64_t> widths) {
  if (widths.empty())
    throw InputError("a list of group widths is empty; at least one group is needed");
  for (size_t group = 0; group < widths.size(); ++group)
    if (widths[group] < 1)
      throw InputError(
          fmt::format("group {} has width {}; widths have to be at least 1", group, widths[group]));
  if (std::all_of(widths.begin(), widths.end(), [&](int64_t width) { return width == widths[0]; }))
    return equal(static_cast<int64_t>(widths.size()), widths[0]);
  Groups groups;
  groups.count_ = static_cast<int64_t>(widths.size());
  groups.starts_.reserve(widths.size() + 1);
  groups.starts_.push_back(0);
  for (int64_t width : widths)
    groups.starts_.push_back(checkedAdd(groups.starts_.back(), width, "the total width of the groups"));
  groups.total_ = groups.starts_.back();
  return groups;
}

int64_t Groups::start(int64_t group) const {
  if (group < 0 || group > count_)
    throw std::out_of_range(fmt::format("group {} of {}", group, count_));
  return isEqual() ? group * width_ : starts_[group];
}

int64_t Groups::width(int64_t group) const {
  if (group < 0 || group >= count_)
    throw std::out_of_range(fmt::format("group {} of {}", group, count_));
  return isEqual() ? width_ : starts_[group + 1] - starts_[group];
}

int64_t Groups::widest() const {
  int64_t widest = width(0);
  for (int64_t group = 1; !isEqual() && group < count_; ++group)
    widest = std::max(widest, width(group));
  return widest;
}

std::vector<int64_t> Groups::widths() const {
  std::vector<int64_t> result(count_);
  for (int64_t group = 0; group < count_; ++group)
    result[group] = width(group);
  return result;
}

Groups Groups::refined(int64_t parts) const {
  if (parts < 1)
    throw InputError(fmt::format("groups cannot be cut into {} parts", parts));
  if (isEqual()) {
    Groups inner = dividing(width_, parts);
    return equal(checkedMultiply(count_, parts, "the number of groups"), inner.width_);
  }
  std::vector<int64_t> result;
  for (int64_t group = 0; group < count_; ++group)
    result.insert(result.end(), parts, dividing(width(group), parts).width_);
  return explicitWidths(std::move(result));
}

Groups Groups::coarsened(int64_t parts) const {
  if (parts < 1 || count_ % parts != 0)
    throw InputError(fmt::format("{} groups cannot be joined {} at a time", count_, parts));
  std::vector<int64_t> result;
  if (isEqual())
    return equal(count_ / parts, checkedMultiply(width_, parts, "the width of a group"));
  for (int64_t group = 0; group < count_; group += parts)
    result.push_back(start(group + parts) - start(group));
  return explicitWidths(std::move(result));
}

} // namespace algebras
