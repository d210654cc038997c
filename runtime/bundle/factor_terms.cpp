#include "runtime/bundle/factor_terms.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <bit>
#include <cstring>

// The terms section is read and written as the machine stores it.
static_assert(std::endian::native == std::endian::little, "bundles are little-endian");

namespace algrt {

void refuseTerms(const std::string &what) { throw Error(ALGRT_BAD_BUNDLE, "terms section: " + what); }

FactorTerms FactorTerms::formula(SupportKind kind, int64_t groups) {
  FactorTerms factor;
  factor.kind_ = kind;
  factor.types_ = kind == SupportKind::Full ? 1 : groups;
  factor.groups_ = groups;
  return factor;
}

FactorTerms FactorTerms::table(std::string_view section) {
  int64_t header[3];
  if (section.size() < sizeof(header))
    refuseTerms("is shorter than its three counts");
  std::memcpy(header, section.data(), sizeof(header));
  const auto [types, output_groups, count] = header;
  if (types < 1 || output_groups < 1)
    refuseTerms("is for " + std::to_string(types) + " types and " + std::to_string(output_groups) +
                " output groups");
  if (count < 0)
    refuseTerms("has a negative count");
  const int64_t slots = checkedMultiply(types, output_groups, "terms section: slots");
  const int64_t offset_bytes = checkedMultiply(checkedAdd(slots, int64_t(1), "terms section: slots"),
                                               int64_t(8), "terms section: offsets");
  const int64_t term_bytes = checkedMultiply(count, int64_t(sizeof(Term)), "terms section: terms");
  const int64_t needed = checkedAdd(checkedAdd(int64_t(sizeof(header)), offset_bytes, "terms section"),
                                    term_bytes, "terms section");
  if (uint64_t(needed) != section.size())
    refuseTerms("holds " + std::to_string(section.size()) + " bytes, its counts need " +
                std::to_string(needed));
  FactorTerms factor;
  factor.kind_ = SupportKind::Table;
  factor.types_ = types;
  factor.groups_ = output_groups;
  factor.offsets_.resize(size_t(slots) + 1);
  std::memcpy(factor.offsets_.data(), section.data() + sizeof(header), size_t(offset_bytes));
  factor.terms_.resize(size_t(count));
  if (count != 0)
    std::memcpy(factor.terms_.data(), section.data() + sizeof(header) + offset_bytes, size_t(term_bytes));
  if (factor.offsets_.front() != 0 || factor.offsets_.back() != count ||
      !std::is_sorted(factor.offsets_.begin(), factor.offsets_.end()))
    refuseTerms("its offsets do not rise from 0 to the number of terms");
  return factor;
}

int64_t FactorTerms::count(int64_t type, int64_t output_group) const {
  switch (kind_) {
  case SupportKind::Complete:
    return type == output_group ? 1 : 2;
  case SupportKind::Triangular:
    return std::max<int64_t>(0, output_group - type + 1);
  case SupportKind::Diagonal:
    return type == output_group ? 1 : 0;
  case SupportKind::Full:
    return groups_;
  case SupportKind::Table:
    break;
  }
  return startOf(type, output_group + 1) - startOf(type, output_group);
}

Term FactorTerms::at(int64_t type, int64_t output_group, int64_t place) const {
  int64_t group = place;
  switch (kind_) {
  case SupportKind::Complete:
    group = place == 0 ? std::min(type, output_group) : std::max(type, output_group);
    break;
  case SupportKind::Triangular:
    group = type + place;
    break;
  case SupportKind::Diagonal:
    group = type;
    break;
  case SupportKind::Full:
    break;
  case SupportKind::Table:
    return terms_[size_t(startOf(type, output_group) + place)];
  }
  return {int32_t(group), int32_t(group), 1.0};
}

std::span<const Term> FactorTerms::slot(int64_t type, int64_t output_group) const {
  return std::span(terms_).subspan(size_t(startOf(type, output_group)), size_t(count(type, output_group)));
}

int64_t FactorTerms::countOfType(int64_t type) const {
  switch (kind_) {
  case SupportKind::Complete:
    return 2 * groups_ - 1;
  case SupportKind::Triangular: // 1 + 2 + ... for the groups from `type` on
    return (groups_ - type) * (groups_ - type + 1) / 2;
  case SupportKind::Diagonal:
    return 1;
  case SupportKind::Full:
    return groups_ * groups_;
  case SupportKind::Table:
    break;
  }
  return startOf(type + 1, 0) - startOf(type, 0);
}

} // namespace algrt
