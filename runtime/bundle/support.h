// The terms of each (row type, output group): which blocks of x and of the weight matrix it sums, with what
// coefficient.
#pragma once

#include "runtime/bundle/factor_terms.h"
#include "runtime/bundle/manifest.h"

#include <functional>
#include <span>

namespace algrt {

// Holds the terms of one slot of the output where they are computed on demand.
using TermStorage = std::vector<Term>;

class Support {
public:
  // The bytes of the terms section of that name.
  using SectionOf = std::function<std::string_view(const std::string &)>;
  // Throws Error(ALGRT_BAD_BUNDLE) if sizes, counts, offsets or indices do not fit the layer, and where a
  // slot of a product has more than 2^28 terms.
  static Support parse(const SupportDescription &description, const SectionOf &section_of,
                       const Layer &layer);
  // Q(q) in the row lift: nothing is stored.
  static Support complete(int64_t types);
  // A table of the whole layer.
  static Support parseTable(std::string_view section, const Layer &layer);

  // The terms of one slot of the output; in a product ascending by input group, then weight row. Valid as
  // long as the support and `storage`, which is written where the terms are not stored as such.
  std::span<const Term> terms(int64_t type, int64_t output_group, TermStorage &storage) const;

  // One, or those of a product, in the order of the description.
  std::span<const FactorTerms> factors() const { return factors_; }

  // Terms of one type, over all output groups.
  int64_t countOfType(int64_t type) const;
  // Multiply-accumulates of one row of that type.
  int64_t rowMacs(const Layer &layer, int64_t type) const;

private:
  void requireSizes(const Layer &layer) const;
  void requireFactorsOfProduct(const Layer &layer) const;

  std::vector<FactorTerms> factors_; // one, or those of a product
};

// The bytes of a terms section; terms[type * output_groups + group] are the terms of that slot. For the
// compiler.
std::string encodeTerms(int64_t types, int64_t output_groups, const std::vector<std::vector<Term>> &terms);

} // namespace algrt
