// The terms of each (row type, output group): which blocks of x and of the bank it sums, with what
// coefficient.
#pragma once

#include "runtime/bundle/manifest.h"

#include <array>
#include <span>

namespace algrt {

struct Term {
  int32_t input_group;
  int32_t bank_row;
  double coefficient;
};
static_assert(sizeof(Term) == 16, "a record of the terms section");

class Support {
public:
  // Q(q) in the row lift: nothing is stored.
  static Support complete(int64_t types);
  // Parses the terms section. Throws Error(ALGRT_BAD_BUNDLE) if counts, offsets or indices do not fit the
  // layer.
  static Support parseTable(std::string_view section, const Layer &layer);

  // The terms of one slot of the output. `storage` holds them where they are computed on demand.
  std::span<const Term> terms(int64_t type, int64_t output_group, std::array<Term, 2> &storage) const;

  // Multiply-accumulates of one row of that type.
  int64_t rowMacs(const Layer &layer, int64_t type) const;

private:
  SupportKind kind_ = SupportKind::complete;
  int64_t output_groups_ = 0;
  std::vector<int64_t> offsets_;
  std::vector<Term> terms_;
};

// The bytes of a terms section; terms[type * output_groups + group] are the terms of that slot. For the
// compiler.
std::string encodeTerms(int64_t types, int64_t output_groups, const std::vector<std::vector<Term>> &terms);

} // namespace algrt
