// The terms of one factor of a support: a formula, or a table.
#pragma once

#include "runtime/bundle/support_description.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

// Throws Error(ALGRT_BAD_BUNDLE) that says what is wrong with a terms section.
[[noreturn]] void refuseTerms(const std::string &what);

struct Term {
  int32_t input_group;
  int32_t weight_row;
  double coefficient;
};
static_assert(sizeof(Term) == 16, "a record of the terms section");

class FactorTerms {
public:
  // All but tables: `groups` at least 1.
  static FactorTerms formula(SupportKind kind, int64_t groups);
  // Parses a terms section. Throws Error(ALGRT_BAD_BUNDLE) if its counts and offsets do not fit each other.
  static FactorTerms table(std::string_view section);

  SupportKind kind() const { return kind_; }
  int64_t types() const { return types_; }
  int64_t groups() const { return groups_; } // of the output
  // Terms of one slot, and the one at a place.
  int64_t count(int64_t type, int64_t output_group) const;
  Term at(int64_t type, int64_t output_group, int64_t place) const;
  int64_t countOfType(int64_t type) const; // over all output groups

  bool isTable() const { return kind_ == SupportKind::Table; }
  // Of a table: all terms, and those of one slot.
  std::span<const Term> all() const { return terms_; }
  std::span<const Term> slot(int64_t type, int64_t output_group) const;

private:
  int64_t startOf(int64_t type, int64_t output_group) const {
    return offsets_[size_t(type * groups_ + output_group)];
  }

  SupportKind kind_ = SupportKind::Complete;
  int64_t types_ = 0, groups_ = 0;
  std::vector<int64_t> offsets_;
  std::vector<Term> terms_;
};

} // namespace algrt
